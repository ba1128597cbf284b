import ChatelaineModel
import ChatelaineTrustSettings

/// `trust-settings-export`, `trust-settings-import` and `user-trust-settings-enable`.
enum TrustFileVerbs {
    static func export(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        guard let path = arguments.operands.first, !(arguments.has("s") && arguments.has("d")) else { throw MacUsage() }
        let domain: TrustSetting.Domain = arguments.has("s") ? .system : arguments.has("d") ? .admin : .user
        let bytes = try MacVerb.calling(
            "SecTrustSettingsCreateExternalRepresentation", exitStatus: ExitStatus.failure
        ) { () throws(KeychainError) in
            try DomainTrustSettings(domain, of: context.keychain).externalRepresentation()
        }
        try OutputFile.write(bytes, to: path, mode: OutputFile.publicMode)
        return ExitStatus.success
    }

    /// `add-trusted-cert -o`: writes the settings to a property list, together with those of the one of `-i`.
    static func add(
        _ constraints: [TrustConstraint], of certificates: [[UInt8]], _ arguments: MacArguments,
        _ context: ToolContext
    ) throws -> Int32 {
        guard let output = arguments.value(of: "o") else { throw MacUsage() }
        var file = TrustSettingsFile()
        if let path = arguments.value(of: "i") {
            let bytes = try InputFile.bytes(path, limit: TrustSettingsFile.maximumBytes)
            file = try reading { () throws(KeychainError) in try TrustSettingsFile(bytes) }
        }
        for certificate in certificates {
            try MacVerb.calling("SecTrustSettingsSetTrustSettings", exitStatus: ExitStatus.failure) {
                () throws(KeychainError) in
                guard let reading = try context.keychain.read(certificates: [certificate]).first else { return }
                try file.set(constraints, of: certificate, reading)
            }
        }
        let bytes = try MacVerb.calling(
            "SecTrustSettingsCreateExternalRepresentation", exitStatus: ExitStatus.failure
        ) { [file] () throws(KeychainError) in try file.propertyList() }
        try OutputFile.write(bytes, to: output, mode: OutputFile.publicMode)
        return ExitStatus.success
    }

    static func importFile(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        guard let path = arguments.operands.first else { throw MacUsage() }
        let bytes = try InputFile.bytes(path, limit: TrustSettingsFile.maximumBytes)
        // What cannot be imported is reported before a passcode is asked for.
        let domain = DomainTrustSettings(arguments.has("d") ? .admin : .user, of: context.keychain)
        let new = try reading { () throws(KeychainError) in try domain.settings(in: bytes) }
        let settings = try TrustSettingsVerbs.settings(arguments, context)
        try TrustSettingsVerbs.alone(arguments) {
            let former = try reading { () throws(KeychainError) in
                let former = arguments.has("d") ? try settings.all() : []
                try settings.replace(with: new)
                return former
            }
            guard arguments.has("d") else { return }
            // The distribution's tools trust for everything, so certificates with other settings are removed from them.
            let present = try reading { () throws(KeychainError) in try settings.all() }
            let trusted = Set(present.filter(\.constraints.isEmpty).map(\.certificate))
            try DistributionTrust().remove((former + present).map(\.certificate).filter { !trusted.contains($0) })
        }
        return ExitStatus.success
    }

    private static func reading<Answer>(_ body: () throws(KeychainError) -> Answer) throws(MacFailure) -> Answer {
        try MacVerb.calling(
            "SecTrustSettingsImportExternalRepresentation", exitStatus: ExitStatus.failure, body)
    }

    /// Shows or sets whether users' own settings count on this machine; only root can set it.
    static func enable(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        guard !(arguments.has("d") && arguments.has("e")) else { throw MacUsage() }
        let folder = MachineTrustFolder()
        let isChange = arguments.has("d") || arguments.has("e")
        if isChange {
            try MacVerb.calling("SecTrustSettingsSetTrustSettings", exitStatus: ExitStatus.failure) {
                () throws(KeychainError) in try folder.setUserSettings(count: arguments.has("e"))
            }
        }
        let isCounting = try MacVerb.calling("SecTrustSettingsCopyTrustSettings", exitStatus: ExitStatus.failure) {
            () throws(KeychainError) in try folder.doUserSettingsCount()
        }
        let word = isCounting ? "Enabled" : "Disabled"
        try context.output.write("\(isChange ? "..." : "")User-level Trust Settings are \(word)\n")
        return ExitStatus.success
    }
}
