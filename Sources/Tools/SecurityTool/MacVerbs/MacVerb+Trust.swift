/// The verbs about trust in certificates.
extension MacVerb {
    private static let admin = MacOption("d", "Means the machine's settings, which root makes, instead of one's own.")

    static let trust = [
        MacVerb(
            name: "add-trusted-cert",
            usage:
                "[-d] [-U] [-r result] [-p policy] [-a path] [-s text] [-e error] [-u usage] [-k keychain] [-i file] [-o file] [certificate...]",
            summary: "Sets what certificates are trusted for.",
            options: [
                admin,
                MacOption(
                    "U",
                    "Not on macOS: with -d, and nothing that limits them, has the distribution\u{2019}s own tools trust them as well (update-ca-certificates, update-ca-trust)."
                ),
                MacOption("r", .one("result"), "trustRoot, trustAsRoot, deny or unspecified; trustRoot without it."),
                MacOption("p", .one("policy"), "For this policy alone: \(TrustWords.allPolicies)."),
                MacOption("a", .one("path"), "For this program alone."),
                MacOption("s", .one("text"), "For this host name or e-mail address alone."),
                MacOption(
                    "e", .one("error"), "This does not count against them: certExpired, hostnameMismatch or a number."),
                MacOption("u", .one("usage"), "For these uses of a key alone, a number as Apple has it."),
                MacOption("k", .one("keychain"), "Adds them to this keychain as well."),
                MacOption(
                    "i", .one("file"), isFile: true,
                    "With -o: reads the settings of this property list, and adds to them."),
                MacOption(
                    "o", .one("file"), isFile: true, "Writes the settings to this property list, and sets nothing."),
            ], operands: .any("certificate"), run: TrustSettingsVerbs.add),
        MacVerb(
            name: "remove-trusted-cert", usage: "[-d] [-a] [certificate...]",
            summary: "Removes what is set about trust in certificates.",
            options: [
                admin,
                MacOption(
                    "a", "Not on macOS: removes all of one\u{2019}s own settings, also where they cannot be read."),
            ],
            operands: .any("certificate"), run: TrustSettingsVerbs.remove),
        MacVerb(
            name: "dump-trust-settings", usage: "[-s] [-d]", summary: "Shows what is set about trust in certificates.",
            options: [MacOption("s", "Shows the certificates that the distribution trusts."), admin],
            run: TrustSettingsVerbs.dump),
        MacVerb(
            name: "user-trust-settings-enable", usage: "[-d] [-e]",
            summary: "Shows or sets whether users\u{2019} own settings of trust count.",
            options: [
                MacOption("d", "Has them count for nobody; root alone may."), MacOption("e", "Has them count again."),
            ], run: TrustFileVerbs.enable),
        MacVerb(
            name: "trust-settings-export", usage: "[-s] [-d] file",
            summary: "Writes settings of trust to a property list.",
            options: [MacOption("s", "Those of the distribution."), admin], operands: .atMostOne("file"),
            run: TrustFileVerbs.export),
        MacVerb(
            name: "trust-settings-import", usage: "[-d] file",
            summary: "Sets what a property list says, in place of all that is set about trust.", options: [admin],
            operands: .atMostOne("file"), run: TrustFileVerbs.importFile),
        MacVerb(
            name: "verify-cert", usage: "[options...] [url]", summary: "Says whether a certificate is to be trusted.",
            options: [
                MacOption(
                    "c", .one("file"), isFile: true,
                    "A certificate: the one in question first, then those of its chain."),
                MacOption("r", .one("file"), isFile: true, "A root that is trusted; then no others are."),
                MacOption("p", .one("policy"), "\(TrustWords.allPolicies); basic without it."),
                MacOption("C", "It is a client\u{2019}s certificate."),
                MacOption("d", .one("date"), "As of YYYY-MM-DD, with -hh:mm:ss behind it for a moment of that day."),
                MacOption(
                    "n", .oneOrNone("name"),
                    "The host name or e-mail address that it has to be for; without one it is as -N."),
                MacOption("s", .one("host"), "The same for ssl, as older scripts say it."),
                MacOption("e", .one("address"), "The same for smime, as older scripts say it."),
                MacOption(
                    "k", .one("keychain"),
                    "A keychain whose certificates may stand between; without it those that are searched. May be repeated."
                ),
                MacOption("N", "No certificates of keychains stand between."),
                MacOption("L", "Asks no server that a certificate names, for an issuer or anything else."),
                MacOption("l", "The first certificate may be one that issues others."),
                MacOption(
                    "R", .one("method"),
                    "Revocation: ocsp asks servers by that, require has them say something, offline asks none; may be repeated. crl, which macOS has not, asks for lists."
                ),
                MacOption("q", "Says nothing but what is wrong."), MacOption("P", "Writes the chain as PEM."),
                MacOption("t", "Shows what is in each certificate of the chain."),
                MacOption("v", "Says of each certificate of the chain what is wrong with it."),
            ], operands: .atMostOne("url"), run: VerifyVerb.verify),
    ]
}
