import ArgumentParser
import ChatelaineModel

/// The options for what a search compares besides attributes.
struct SearchOptions: ParsableArguments {
    @Option(name: .long, help: "Internet passwords of this host or one below it.")
    var host: String?
    @Option(
        name: .long, help: ArgumentHelp("The one item with this persistent reference.", valueName: "hex"))
    var persistentRef: String?
}

/// A verb that searches items.
///
/// It has both groups of options itself. ArgumentParser checks a group within a group many times in a debug build, and
/// the command then takes a tenth of a second.
protocol SearchCommand {
    var attributes: AttributeOptions { get }
    var options: SearchOptions { get }
}

extension SearchCommand {
    var search: ItemSearch { ItemSearch(attributes: attributes, options: options) }
}

/// What the options of a verb search for.
struct ItemSearch {
    let attributes: AttributeOptions
    let options: SearchOptions

    private var host: String? { options.host }
    private var persistentRef: String? { options.persistentRef }

    /// The item of a file keychain that the option names; nil if it names none.
    var keychainItem: KeychainItemReference? {
        persistentRef.flatMap { Hexadecimal.bytes(of: $0.utf8) }.flatMap { KeychainItemReference($0) }
    }

    /// The search as pairs of a dictionary.
    ///
    /// It finds synchronizable and other items alike unless an option selects. A person who reads a list does not know
    /// that programs select with every call.
    func pairs() throws(ToolError) -> [(key: String, value: QueryValue)] {
        var pairs = try attributes.pairs()
        let itemClass = try attributes.impliedClass(pairs, isAboutHosts: host != nil)
        if let host { pairs.append(("m_HostOrSubdomainOfHost", .text(host))) }
        if let persistentRef {
            guard let bytes = Hexadecimal.bytes(of: persistentRef.utf8), PersistentReference(bytes) != nil else {
                throw .usage("--persistent-ref wants the hexadecimal digits that find --json shows")
            }
            pairs.append(("v_PersistentRef", .data(bytes)))
        } else if !pairs.contains(where: { $0.key == "sync" }) {
            pairs.append(("sync", .text("syna")))
        }
        if attributes.itemClass != nil || persistentRef == nil {
            pairs.append(("class", .text(itemClass.itemClass.name)))
        }
        return pairs
    }

    /// Whether an option selects items of a class; group, protection and synchronizability do not count.
    func isSelective() throws(ToolError) -> Bool {
        let names = try attributes.pairs().filter { !["agrp", "pdmn", "accc", "sync"].contains($0.key) }
        return !names.isEmpty || host != nil || persistentRef != nil
    }
}
