"""Queries as one reads them in a notebook: words, graphs and tables in, an answer that knows its network out.

``inputs`` says what stands for a network and for traffic, ``network`` builds these, and ``ask`` makes a function of
each question.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
