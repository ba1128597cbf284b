/// The verbs about file keychains as a whole.
extension MacVerb {
    private static let domain = MacOption("d", .one("domain"), "Preference domain: user, system, common or dynamic.")

    static let keychains = [
        MacVerb(
            name: "list-keychains", usage: "[-h] [-d domain] [-s [keychain...]]",
            summary: "Shows or sets the keychains that are searched.",
            options: [domain, MacOption("s", "Sets them to those that are named, or to none.")],
            operands: .any("keychain"), run: PreferenceVerbs.list),
        MacVerb(
            name: "default-keychain", usage: "[-h] [-d domain] [-s [keychain]]",
            summary: "Shows or sets the default keychain.",
            options: [domain, MacOption("s", "Sets it to the one that is named, or to none.")],
            operands: .atMostOne("keychain"), run: PreferenceVerbs.defaultKeychain),
        MacVerb(
            name: "login-keychain", usage: "[-h] [-d domain] [-s [keychain]]",
            summary: "Shows the login keychain.",
            options: [domain, MacOption("s", "Fails, as on macOS: this command does not set it.")],
            operands: .atMostOne("keychain"), run: PreferenceVerbs.loginKeychain),
        MacVerb(
            name: "create-keychain", usage: "[-h] [-P] [-p password] [keychain...]",
            summary: "Makes keychains, and has them searched.",
            options: [
                MacOption("p", .one("password"), "The password, which every process can read; asked for without it."),
                MacOption("P", "Has securityd ask for the password, in a dialog."),
            ], operands: .any("keychain"), run: KeychainVerbs.create),
        MacVerb(
            name: "delete-keychain", usage: "[-h] [keychain...]",
            summary: "Deletes keychains, and has them searched no more.", operands: .any("keychain"),
            run: KeychainVerbs.delete),
        MacVerb(
            name: "lock-keychain", usage: "[-h] [-a|keychain]",
            summary: "Locks a keychain: the default one where none is named.",
            options: [MacOption("a", "Locks all keychains.")], operands: .atMostOne("keychain"),
            run: KeychainVerbs.lock),
        MacVerb(
            name: "unlock-keychain", usage: "[-h] [-u] [-p password] [keychain]",
            summary: "Unlocks a keychain: the default one where none is named.",
            options: [
                MacOption("p", .one("password"), "The password, which every process can read; asked for without it."),
                MacOption("u", "Gives no password: securityd asks for it, in a dialog."),
            ], operands: .atMostOne("keychain"), run: KeychainVerbs.unlock),
        MacVerb(
            name: "set-keychain-settings", usage: "[-h] [-l] [-u] [-t seconds] [keychain]",
            summary: "Sets when a keychain locks by itself.",
            options: [
                MacOption("l", "Locks it when the machine goes to sleep; without it, sleep leaves it as it is."),
                MacOption("u", "Locks it after the interval, which -t alone does as well."),
                MacOption("t", .one("seconds"), "How long it stays unlocked without use; without it, for ever."),
            ], operands: .atMostOne("keychain"), run: KeychainSettingsVerbs.set),
        MacVerb(
            name: "set-keychain-password", usage: "[-h] [-o old] [-p new] [keychain]",
            summary: "Sets another password for a keychain.",
            options: [
                MacOption(
                    "o", .one("old"), "The present password, which every process can read; asked for without it."),
                MacOption("p", .one("new"), "The new password; the same."),
            ], operands: .atMostOne("keychain"), run: KeychainVerbs.setPassword),
        MacVerb(
            name: "show-keychain-info", usage: "[-s] [keychain]",
            summary: "Shows when a keychain locks by itself.",
            options: [MacOption("s", "Fails: the salt of a keychain is shown to nobody.")],
            operands: .atMostOne("keychain"), run: KeychainSettingsVerbs.show),
    ]
}
