"""What users see: it decides what is shown and where, and nothing of what happens then.

    panel : which section or button is where, also first; the list of chains
    sidebar : widths, rows, wrapped text and sections that all files below share
    chains : the sections for bones, bend and reach, and the choice of a side
    targets : the section of the target of the limb in hand
    hold : the section of its holds
    plant : the section of Plant
    contacts : rows of buttons for when feet stand, their pages, and the fields that move ends
    switch : which limbs show FK or IK, buttons to switch and on which frames they do, faulty files of rigs
    bake : the last report
    limb_notice : words, icon and sign of a limb's state, and the button that mends it; that Live covers keys
    menus : our own menus, from menus.toml, and the entries that open them in Blender's menus
    pull_tool : Pull Limb: tool, which limbs have handles, and entry in the context menu of Pose Mode
    overlay : draws limbs, signs, guides and feet over the view
    preferences : what is set for all files
    online_manual : which section of the manual a button's Online Manual opens

Which limb is in hand is in `status/in_hand`, how it is posed in `status/limb_state`.
"""
