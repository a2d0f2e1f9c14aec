"""One file per family of topologies; importing a file registers what it holds.

A builder maps its parameters to a :class:`~pnet_lp.model.Plane`.  It reads no files and knows nothing of planes other
than the one it builds.  In flat families switches are called "0", "1", ... and each is a rack.
"""
