import ArgumentParser
import ChatelaineModel

/// What a search compares.
struct SearchOptions: ParsableArguments {
    @OptionGroup var attributes: AttributeOptions

    @Option(name: .long, help: "Internet passwords of this host or one below it.")
    var host: String?
    @Option(
        name: .long, help: ArgumentHelp("The one item with this persistent reference.", valueName: "hex"))
    var persistentRef: String?

    /// The search as pairs of a dictionary.
    ///
    /// - Parameter purpose: the word of a change that must not hit every item by oversight, or nil.
    func pairs(
        guarding purpose: String? = nil, allMatching: Bool = false
    ) throws(ToolError) -> [(key: String, value: QueryValue)] {
        var pairs = try attributes.pairs()
        if let host { pairs.append(("m_HostOrSubdomainOfHost", .text(host))) }
        if let persistentRef {
            guard let bytes = Hexadecimal.bytes(of: persistentRef) else {
                throw .usage("--persistent-ref wants hexadecimal digits, as find --json shows them")
            }
            pairs.append(("v_PersistentRef", .data(bytes)))
        }
        // Where items are and how they are kept says nothing about which one is meant.
        let names = pairs.filter { !["agrp", "pdmn", "sync"].contains($0.key) }
        if let purpose, names.isEmpty, !allMatching {
            throw .usage("\(purpose) wants an attribute that says which items are meant, or --all-matching for all")
        }
        if attributes.itemClass != nil || persistentRef == nil {
            pairs.append(("class", .text((attributes.itemClass ?? .generic).itemClass.name)))
        }
        return pairs
    }
}
