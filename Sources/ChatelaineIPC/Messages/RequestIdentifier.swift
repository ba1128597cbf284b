/// The random 16 bytes by which the daemon knows a change again when a client repeats it.
public typealias RequestIdentifier = ItemIdentifier

import ChatelaineModel
