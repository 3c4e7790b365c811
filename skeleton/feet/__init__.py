"""Plant: from samples of legs to feet that stand, by `solver.feet`, and to channels of the bones.

    feet : points and contacts of a foot, as data; when it stands
    plant : legs for the solver, hands after them; ground below feet; targets and hips that follow
    straight_limbs : to which side limbs bend that were captured straight or beyond
    toes : how toes turn while the ball stands, and how far they are raised

What is decided about feet alone is in `solver/feet`.
"""
