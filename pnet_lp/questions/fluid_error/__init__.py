"""The error of the fluid's slowdowns against packets, over random mixes."""
