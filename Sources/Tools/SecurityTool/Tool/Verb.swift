import ArgumentParser

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
        Verb(LockCommand.self),
        Verb(UnlockCommand.self),
        Verb(StateCommand.self),
        Verb(SettingsToolCommand.self),
        Verb(StatusCommand.self),
        Verb(DoctorCommand.self),
        Verb(CheckCommand.self),
        Verb(
            name: "snapshot", usage: "list|create|restore|purge [options]",
            summary: "Shows, takes, restores and deletes copies of the store.", action: .group(snapshots)),
        Verb(
            name: "app", usage: "verb [options]",
            summary: "Shows and makes decisions about programs, and signs them.", action: .group(applications)),
        Verb(ResetKeychainsCommand.self),
        Verb(GeneratePasswordCommand.self),
        Verb(ErrorCommand.self),
    ]

    private static let items = [
        Verb(ItemAddCommand.self, in: "item"),
        Verb(ItemFindCommand.self, in: "item"),
        Verb(ItemShowCommand.self, in: "item"),
        Verb(ItemUpdateCommand.self, in: "item"),
        Verb(ItemDeleteCommand.self, in: "item"),
        Verb(ItemListCommand.self, in: "item"),
    ]

    private static let certificates = [
        Verb(CertificateListCommand.self, in: "certificate"),
        Verb(CertificateShowCommand.self, in: "certificate"),
        Verb(CertificateAddCommand.self, in: "certificate"),
        Verb(CertificateDeleteCommand.self, in: "certificate"),
    ]

    private static let grants = [
        Verb(ACLListCommand.self, in: "acl"),
        Verb(ACLRevokeCommand.self, in: "acl"),
    ]

    private static let passcodes = [
        Verb(PasscodeSetCommand.self, in: "passcode"),
        Verb(PasscodeChangeCommand.self, in: "passcode"),
        Verb(PasscodeRemoveCommand.self, in: "passcode"),
        Verb(PasscodeStatusCommand.self, in: "passcode"),
    ]

    private static let snapshots = [
        Verb(SnapshotListCommand.self, in: "snapshot"),
        Verb(SnapshotCreateCommand.self, in: "snapshot"),
        Verb(SnapshotRestoreCommand.self, in: "snapshot"),
        Verb(SnapshotPurgeCommand.self, in: "snapshot"),
    ]

    private static let applications = [
        Verb(AppListCommand.self, in: "app"),
        Verb(AppShowCommand.self, in: "app"),
        Verb(AppVerifyCommand.self, in: "app"),
        Verb(AppAcceptCommand.self, in: "app"),
        Verb(AppDevelopCommand.self, in: "app"),
        Verb(AppForgetCommand.self, in: "app"),
        Verb(AppAdoptCommand.self, in: "app"),
        Verb(
            name: "team", usage: "add|list|remove [options]",
            summary: "Shows and decides whose signatures count.", action: .group(teams)),
        Verb(AppSignCommand.self, in: "app"),
        Verb(AppProfileCommand.self, in: "app"),
        Verb(
            name: "identity", usage: "create --team team --common-name name folder",
            summary: "Makes identities that programs are signed with.", action: .group(identities)),
    ]

    private static let teams = [
        Verb(AppTeamAddCommand.self, in: "app team"),
        Verb(AppTeamListCommand.self, in: "app team"),
        Verb(AppTeamRemoveCommand.self, in: "app team"),
    ]

    private static let identities = [
        Verb(AppIdentityCreateCommand.self, in: "app identity")
    ]
}

extension Verb {
    /// A verb of our own, described by the configuration of its command.
    ///
    /// - Parameter group: the verbs before this one, separated by blanks.
    fileprivate init(_ command: any ToolCommand.Type, in group: String? = nil) {
        let configuration = command.configuration
        let name = configuration.commandName ?? ""
        let line = ["security", group, name].compactMap { $0 }.joined(separator: " ")
        self.init(
            name: name, usage: String((configuration.usage ?? "").dropFirst(line.count + 1)),
            summary: configuration.abstract, action: .command(command))
    }
}
