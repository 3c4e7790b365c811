"""Words to the user.

    numbers : how many digits a number has, and in which unit the lengths of a sentence are
    refused : the exception of all refusals, and its fields for scripts
    translation : fills sentences in the user's language; those of the group `alert` are alerts, counted beside the
        title of Report; names of frames and points; the known word nearest to another

Other rooms use of it:

    numbers : unit_name, unit_of_legs
    refused : Refused, reason, unknown_word, unless_gone
    translation : Alert, frame_text, known_words, nearest_name, point_text, translated
"""
