// The C interface: Apple's functions under their C names, in the same library as the module Security.
//
// Data model: a call takes the pairs out of a stranger's dictionary once (ForeignDictionary), from there on it is the
// call of a Swift program (ItemCalls of Security), and the shaped result becomes objects of CoreFoundation
// (ForeignResult). The constants are laid down by the C target CChatelaineFoundation, which is also the only place that
// touches objects of C.
//
// Lifetimes: the Create and Copy rule. What a dictionary holds is copied, and the copy wiped after use; a result carries
// one reference, the caller's. Types of ours are boxes around the Swift objects of Security (BoxType).
//
// Rules: whatever is given is an error at worst (errSecParam). `Headers/symbols.tsv` says what exists; the headers are
// written by hand, the constants in them generated. Swift programs never see this module.
