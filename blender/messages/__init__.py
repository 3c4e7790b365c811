"""Words to the user: refusals, sentences and their translation, frames and points.

Other rooms use of it:

    frame_and_point : frame_text, point_text
    refused : Refused, unknown_word, unless_gone
    translation : Alert, known_words, nearest_name, translated
"""
