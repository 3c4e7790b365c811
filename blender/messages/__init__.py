"""Words to the user: refusals, sentences and their translation, numbers, frames and points.

`translation` also says which words are known, and the nearest to one that is not.

Other rooms use of it:

    numbers : unit_name, unit_of_legs
    refused : Refused, reason, unknown_word, unless_gone
    translation : Alert, frame_text, known_words, nearest_name, point_text, translated
"""
