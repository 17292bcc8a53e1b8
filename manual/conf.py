"""Sphinx's settings for the manual. `make site` says how they are used."""
project = "gpuprim"
html_title = "gpuprim"
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_theme = "furo"
html_show_copyright = html_show_sphinx = html_show_sourcelink = html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
highlight_language = "text"
smartquotes = False
html_static_path = ["static"]
html_css_files = ["wide.css"]
