import ChatelaineModel

/// The verbs about items of file keychains, and about who may use them.
extension MacVerb {
    private static let keychain = MacOperands.any("keychain")

    private static func find(_ itemClass: ItemClass, _ name: String, _ place: String, _ what: String) -> MacVerb {
        MacVerb(
            name: name, usage: "[-h] [-a account] [-s \(place)] [options...] [-g] [-w] [keychain...]",
            summary: "Shows the first \(what) that matches.",
            options: ItemMatch.options(itemClass) + [
                MacOption("g", "Shows the password besides, on standard error."),
                MacOption("w", "Shows the password alone."),
            ], operands: keychain
        ) { try PasswordVerbs.find(itemClass, $0, $1) }
    }

    private static func delete(_ itemClass: ItemClass, _ name: String, _ place: String, _ what: String) -> MacVerb {
        MacVerb(
            name: name, usage: "[-h] [-a account] [-s \(place)] [options...] [keychain...]",
            summary: "Deletes the first \(what) that matches.", options: ItemMatch.options(itemClass),
            operands: keychain
        ) { try PasswordVerbs.delete(itemClass, $0, $1) }
    }

    private static func add(_ itemClass: ItemClass, _ name: String, _ place: String, _ what: String) -> MacVerb {
        let older =
            itemClass == .genericPassword
            ? [MacOption("p", .one("password"), "The same, as older scripts say it.")] : []
        return MacVerb(
            name: name,
            usage: "[-h] -a account -s \(place) [-w password] [options...] [-A|-T path] [keychain]",
            summary: "Adds \(what).",
            options: ItemMatch.options(itemClass) + [
                MacOption(
                    "w", .oneOrAsked("password"),
                    "The password, which every process can read; asked for where it is the last word.")
            ] + older + [
                MacOption("X", .one("digits"), "The password in hexadecimal digits."),
                MacOption("A", "Lets every program read it without being asked about."),
                MacOption(
                    "T", .one("path"), isFile: true, "Lets the program at the path read it; an empty one lets nobody."),
                MacOption("U", "Changes the item where there is one."),
            ], operands: .atMostOne("keychain")
        ) { try AddVerbs.add(itemClass, $0, $1) }
    }

    private static func setPartitions(
        _ itemClass: ItemClass, _ name: String, _ place: String, _ what: String
    ) -> MacVerb {
        MacVerb(
            name: name, usage: "[-a account] [-s \(place)] [-S list] [-k password] [options...] [keychain]",
            summary: "Sets the partition list of each \(what) that matches.",
            options: ItemMatch.options(itemClass) + [
                MacOption("S", .one("list"), "Partition identifiers, with commas between."),
                MacOption(
                    "k", .one("password"),
                    "The keychain's password, which every process can read; asked for without it."
                ),
            ], operands: .atMostOne("keychain")
        ) { try PartitionVerbs.set(itemClass, $0, $1) }
    }

    private static let dump = MacVerb(
        name: "dump-keychain", usage: "[-a] [-d] [-h] [-i] [-r] [-o file] [keychain...]",
        summary: "Shows all items of keychains.",
        options: [
            MacOption("a", "Shows who may use them."), MacOption("d", "Shows their secrets."),
            MacOption("i", "Shows who may use them, and offers to remove entries of that."),
            MacOption("r", "Does nothing: items are shown to nobody as they are sealed."),
            MacOption("o", .one("file"), isFile: true, "Writes to a file, which is made for the user alone."),
        ], operands: keychain, run: DumpVerb.run)

    static let items = [
        dump,
        add(.genericPassword, "add-generic-password", "service", "a generic password"),
        add(.internetPassword, "add-internet-password", "server", "an internet password"),
        find(.genericPassword, "find-generic-password", "service", "generic password"),
        delete(.genericPassword, "delete-generic-password", "service", "generic password"),
        setPartitions(.genericPassword, "set-generic-password-partition-list", "service", "generic password"),
        find(.internetPassword, "find-internet-password", "server", "internet password"),
        delete(.internetPassword, "delete-internet-password", "server", "internet password"),
        setPartitions(.internetPassword, "set-internet-password-partition-list", "server", "internet password"),
    ]
}
