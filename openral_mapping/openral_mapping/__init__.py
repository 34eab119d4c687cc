"""Maps of homes: the floor from depth images, furniture on it, and the home of both.

A home has a form for each reader:

| form | module | read by |
|---|---|---|
| the map file, which people write too | `openral_core.home_map` | every package |
| that map as nodes with geometry | `openral_world_state.static_map` | queries, lifting |
| nodes stored with the objects | `openral_world_state.world.open_world` | a start without a map |

In `home`, `from_floor` and `from_images` build a map, `annotations` and `edits` change it;
`openral_training.maps` imports, checks and draws one.
"""
