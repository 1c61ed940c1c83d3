"""Columns of the frames of the parameters (u, v) of faces, Eq. (G52)."""

# Columns of a frame of parameters: kind, origin, the axes from which the angle is measured, the axis of revolution;
# line: h and rho of v = 0 and their rates; arc: A and B of the face.
FRAME_KIND, FRAME_ORIGIN, FRAME_X, FRAME_Y, FRAME_Z = 0, 1, 4, 7, 10
FRAME_H, FRAME_RHO, FRAME_RATE_H, FRAME_RATE_RHO = 13, 14, 15, 16
FRAME_COLUMNS = 17
