// The C interface: Apple's functions under their C names, in the same library as the module Security.
//
// Data model: a call takes the pairs out of a C program's dictionary once (ForeignDictionary). It then runs the same
// code as a Swift program's call (ItemCalls of Security), and the shaped result becomes CoreFoundation objects
// (ForeignResult). The C target CChatelaineFoundation defines the constants, and is the only place that touches C
// objects.
//
// Lifetimes: the Create and Copy rule. The contents of a dictionary are copied, and the copy is wiped after use. A
// result has one reference, which the caller owns. Types of ours are boxes around the Swift objects of Security
// (BoxType).
//
// Rules: an invalid argument causes an error at worst (errSecParam), never a crash. `Headers/symbols.tsv` lists the
// symbols; the headers are written by hand, the constants in them generated. Swift programs never see this module.
