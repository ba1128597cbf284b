/// A verb of the command line, with its command or its own verbs.
struct Verb: Sendable {
    enum Action: Sendable {
        case command(any ToolCommand.Type)
        case group([Verb])
        /// A verb of macOS's command.
        case mac(MacVerb)
        case help
    }

    let name: String
    /// The usage line after the name.
    let usage: String
    let summary: String
    let action: Action

    /// The verbs that may follow this one.
    var verbs: [Verb] {
        guard case .group(let verbs) = action else { return [] }
        return verbs
    }

    /// Whether the verb is parsed and found as on macOS.
    var isApples: Bool {
        if case .mac = action { true } else { false }
    }

    /// Every verb, in the order of the help list: our own verbs first.
    static let all =
        own + MacVerb.all.map { Verb(name: $0.name, usage: $0.usage, summary: $0.summary, action: .mac($0)) }

    private static let own = [
        Verb(
            name: "help", usage: "[verb...]", summary: "Shows all verbs or the usage of the named ones.", action: .help),
        Verb(
            name: "item", usage: "add|find|show|update|delete|list [options]",
            summary: "Stores, finds, changes and deletes items.", action: .group(items)),
        Verb(
            name: "certificate", usage: "list|show|add|delete [options]",
            summary: "Shows, adds and deletes certificates, and says whether they are trusted.",
            action: .group(certificates)),
        Verb(
            name: "acl", usage: "list|revoke [options]",
            summary: "Shows and takes back what programs may use of file keychains.", action: .group(grants)),
        Verb(
            name: "passcode", usage: "set|change|remove|status [options]",
            summary: "Sets, changes and removes the passcode that protects the keys.", action: .group(passcodes)),
        Verb(
            name: "lock", usage: "[--json]", summary: "Locks the keychain, until it is unlocked.",
            action: .command(LockCommand.self)),
        Verb(
            name: "unlock", usage: "[--login] [--stdin|--descriptor n]",
            summary: "Unlocks the keychain with the passcode.",
            action: .command(UnlockCommand.self)),
        Verb(
            name: "state", usage: "[--json]", summary: "Says whether the keychain is locked.",
            action: .command(StateCommand.self)),
        Verb(
            name: "settings", usage: "[--idle-lock seconds] [--json] [--stdin|--descriptor n]",
            summary: "Shows and changes when the keychain locks by itself.",
            action: .command(SettingsToolCommand.self)),
        Verb(
            name: "status", usage: "[--json]",
            summary: "Says what the daemon holds, where, and how sure it is of this program.",
            action: .command(StatusCommand.self)),
        Verb(
            name: "doctor", usage: "[--json]",
            summary: "Looks for what is degraded or broken, and says how to mend it.",
            action: .command(DoctorCommand.self)),
        Verb(
            name: "check", usage: "[--acknowledge] [--json] [keychain]",
            summary: "Opens every item and verifies the whole store.", action: .command(CheckCommand.self)),
        Verb(
            name: "snapshot", usage: "list|create|restore|purge [options]",
            summary: "Shows, takes, restores and deletes copies of the store.", action: .group(snapshots)),
        Verb(
            name: "app", usage: "verb [options]",
            summary: "Shows and makes decisions about programs, and signs them.", action: .group(applications)),
        Verb(
            name: "reset-keychains", usage: "[--stdin|--descriptor n]",
            summary: "Begins anew with an empty login keychain; nothing is deleted.",
            action: .command(ResetKeychainsCommand.self)),
        Verb(
            name: "generate-password", usage: "[--kind kind] [--length n] [--count n] [--json]",
            summary: "Makes a password, and says how strong it is.",
            action: .command(GeneratePasswordCommand.self)),
        Verb(
            name: "error", usage: "code...", summary: "Explains codes and exit statuses.",
            action: .command(ErrorCommand.self)),
    ]

    private static let items = [
        Verb(
            name: "add", usage: "[attributes] [--stdin|--secret-fd n|--no-secret] [--json]",
            summary: "Stores an item; asks for its secret.", action: .command(ItemAddCommand.self)),
        Verb(
            name: "find", usage: "[attributes] [--secret] [--all|--limit n] [--json]",
            summary: "Shows items, or the secret of one.", action: .command(ItemFindCommand.self)),
        Verb(
            name: "show", usage: "[attributes] [--keychain keychain]... [--json]",
            summary: "Shows items with where they are and who may use them.", action: .command(ItemShowCommand.self)),
        Verb(
            name: "update",
            usage: "attributes|--all [--set name=value]... [--prompt|--stdin|--secret-fd n] [--json]",
            summary: "Changes attributes and secrets of items.", action: .command(ItemUpdateCommand.self)),
        Verb(
            name: "delete", usage: "attributes|--all [--json]", summary: "Deletes items.",
            action: .command(ItemDeleteCommand.self)),
        Verb(
            name: "list",
            usage: "[--class class] [--group group] [--json] [--all [--stdin|--descriptor n]]",
            summary: "Lists the items of this tool's own groups.", action: .command(ItemListCommand.self)),
    ]

    private static let certificates = [
        Verb(
            name: "list", usage: "[--keychain keychain]... [--json]",
            summary: "Lists certificates, with how long they are valid.", action: .command(CertificateListCommand.self)),
        Verb(
            name: "show",
            usage: "certificate [--keychain keychain]... [--policy policy] [--name name] [--json]",
            summary: "Shows what certificates say, and whether they are trusted.",
            action: .command(CertificateShowCommand.self)),
        Verb(
            name: "add", usage: "file... [--keychain keychain]", summary: "Adds certificates to a keychain.",
            action: .command(CertificateAddCommand.self)),
        Verb(
            name: "delete", usage: "certificate [--keychain keychain]... [--all]",
            summary: "Deletes certificates, and leaves their keys.", action: .command(CertificateDeleteCommand.self)),
    ]

    private static let grants = [
        Verb(
            name: "list", usage: "[keychain...] [--json]",
            summary: "Lists the programs that may use items, and which.", action: .command(ACLListCommand.self)),
        Verb(
            name: "revoke",
            usage: "program [attributes] [--keychain keychain] [--keep-partitions|--stdin|--descriptor n] [--json]",
            summary: "Takes back what a program may use.", action: .command(ACLRevokeCommand.self)),
    ]

    private static let passcodes = [
        Verb(
            name: "set", usage: "[--stdin|--descriptor n]", summary: "Sets the first passcode.",
            action: .command(PasscodeSetCommand.self)),
        Verb(
            name: "change", usage: "[--new-keys] [--stdin|--descriptor n]",
            summary: "Sets another passcode in the place of the present one.",
            action: .command(PasscodeChangeCommand.self)),
        Verb(
            name: "remove", usage: "[--stdin|--descriptor n]",
            summary: "Removes the passcode, and deletes the items that need one.",
            action: .command(PasscodeRemoveCommand.self)),
        Verb(
            name: "status", usage: "[--json]",
            summary: "Shows whether there is a passcode, and the wrong tries.",
            action: .command(PasscodeStatusCommand.self)),
    ]

    private static let snapshots = [
        Verb(
            name: "list", usage: "[--keychain keychain] [--json]", summary: "Lists the snapshots, the newest first.",
            action: .command(SnapshotListCommand.self)),
        Verb(
            name: "create", usage: "[--keychain keychain] [--json]", summary: "Takes a snapshot now.",
            action: .command(SnapshotCreateCommand.self)),
        Verb(
            name: "restore", usage: "name [--keychain keychain] [--json] [--stdin|--descriptor n]",
            summary: "Makes a snapshot the store, and keeps the present store aside.",
            action: .command(SnapshotRestoreCommand.self)),
        Verb(
            name: "purge", usage: "name...|--all|--keep n [--keychain keychain] [--json] [--stdin|--descriptor n]",
            summary: "Deletes snapshots, with what they keep of deleted items.",
            action: .command(SnapshotPurgeCommand.self)),
    ]

    private static let applications = [
        Verb(
            name: "list", usage: "[--json]", summary: "Lists the decisions about programs.",
            action: .command(AppListCommand.self)),
        Verb(
            name: "show", usage: "path [--json]",
            summary: "Says who a program is, how sure that is, and which groups it has.",
            action: .command(AppShowCommand.self)),
        Verb(
            name: "verify", usage: "path", summary: "Says whether the signature of a program counts.",
            action: .command(AppVerifyCommand.self)),
        Verb(
            name: "accept", usage: "path [--json] [--stdin|--descriptor n]",
            summary: "Takes a changed executable for the program that it replaced.",
            action: .command(AppAcceptCommand.self)),
        Verb(
            name: "develop", usage: "path [--json] [--stdin|--descriptor n]",
            summary: "Declares an executable, or all below a folder, as in development.",
            action: .command(AppDevelopCommand.self)),
        Verb(
            name: "forget", usage: "path [--json] [--stdin|--descriptor n]",
            summary: "Takes the decision about a program back.",
            action: .command(AppForgetCommand.self)),
        Verb(
            name: "adopt", usage: "path [--return] [--json] [--stdin|--descriptor n]",
            summary: "Moves what a program stored before it was signed to its identifier.",
            action: .command(AppAdoptCommand.self)),
        Verb(
            name: "team", usage: "add|list|remove [options]",
            summary: "Shows and decides whose signatures count.", action: .group(teams)),
        Verb(
            name: "sign",
            usage:
                "path --identity file... --identifier name [--entitlements file] [--profile file] [--days n] [--output file]",
            summary: "Signs an executable with the identity of a team.",
            action: .command(AppSignCommand.self)),
        Verb(
            name: "profile",
            usage:
                "file --identity file... --signer file... [--identifier name...] [--group name...] [--application-group name...] [--days n]",
            summary: "Makes a profile: what a team lets single signers claim.",
            action: .command(AppProfileCommand.self)),
        Verb(
            name: "identity", usage: "create --team team --common-name name folder",
            summary: "Makes identities that programs are signed with.", action: .group(identities)),
    ]

    private static let teams = [
        Verb(
            name: "add", usage: "file [--team teamid] [--json] [--stdin|--descriptor n]",
            summary: "Lets signatures of a team count.", action: .command(AppTeamAddCommand.self)),
        Verb(
            name: "list", usage: "[--json]", summary: "Lists the teams whose signatures count.",
            action: .command(AppTeamListCommand.self)),
        Verb(
            name: "remove", usage: "teamid [--json] [--stdin|--descriptor n]",
            summary: "Lets signatures of a team count no longer.", action: .command(AppTeamRemoveCommand.self)),
    ]

    private static let identities = [
        Verb(
            name: "create", usage: "--team team --common-name name folder",
            summary: "Makes a team's anchor, and an identity that signs its programs.",
            action: .command(AppIdentityCreateCommand.self))
    ]
}
