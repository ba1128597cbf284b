import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// Whoever knows what is trusted: ``KeychainClient`` in a program, a stand-in where tests want a certain answer.
package protocol TrustSettingsService: Sendable {
    func trustSettings(_ command: TrustSettingsCommand, passcode: SecretBytes?) throws(KeychainError) -> [TrustSetting]
    func systemRoots() throws(KeychainError) -> [[UInt8]]
    func evaluate(_ question: TrustQuestion) throws(KeychainError) -> TrustVerdict
    func read(certificates: [[UInt8]]) throws(KeychainError) -> [CertificateReading]
    func find(_ query: ItemQuery) throws(KeychainError) -> [FoundItem]
}

extension KeychainClient: TrustSettingsService {}

/// What is set about trust in certificates, in any of the three domains (`SecTrustSettings`).
///
/// The user's settings are securityd's to change, for the passcode where there is one. Root's are files that root's programs write. The
/// distribution's nobody changes here.
package struct DomainTrustSettings {
    let service: any TrustSettingsService
    let domain: TrustSetting.Domain
    /// What is given with each change of the user's; nil has securityd ask for it, in a dialog, where there is one.
    let passcode: SecretBytes?
    let folder: MachineTrustFolder

    package init(
        _ domain: TrustSetting.Domain, of service: any TrustSettingsService, passcode: SecretBytes? = nil,
        folder: MachineTrustFolder = MachineTrustFolder()
    ) {
        (self.domain, self.service, self.passcode, self.folder) = (domain, service, passcode, folder)
    }

    /// Every certificate for which something is set; of the distribution's without their names.
    package func all() throws(KeychainError) -> [TrustSetting] {
        guard domain == .system else { return try service.trustSettings(.list(domain), passcode: nil) }
        return try service.systemRoots().map {
            TrustSetting(certificate: $0, subject: [], summary: "", modified: 0)
        }
    }

    /// - Throws: `errSecItemNotFound` where nothing is set for the certificate.
    package func setting(of certificate: [UInt8]) throws(KeychainError) -> TrustSetting {
        guard let setting = try all().first(where: { $0.certificate == certificate }) else {
            throw KeychainError(.itemNotFound, "nothing is set about trust in this certificate")
        }
        return setting
    }

    /// Sets what a certificate is trusted for, in place of what was set before; without constraints it is trusted for everything.
    package func set(_ constraints: [TrustConstraint], of certificate: [UInt8]) throws(KeychainError) {
        guard constraints.count <= TrustLimits.maximumConstraints else {
            throw KeychainError(.param, "settings have \(TrustLimits.maximumConstraints) constraints at most")
        }
        switch domain {
        case .user: _ = try service.trustSettings(.set(certificate: certificate, constraints), passcode: passcode)
        case .admin: try folder.add(try named(certificate), certificate, constraints)
        case .system: throw Self.fixed
        }
    }

    /// - Throws: `errSecItemNotFound` where nothing is set for the certificate.
    package func remove(_ certificate: [UInt8]) throws(KeychainError) {
        switch domain {
        case .user: _ = try service.trustSettings(.remove(certificate: certificate), passcode: passcode)
        case .admin: try folder.remove(certificate)
        case .system: throw Self.fixed
        }
    }

    /// Sets all of them anew; nothing is changed where one of them cannot be set.
    package func replace(with settings: [TrustSetting]) throws(KeychainError) {
        guard settings.count <= TrustLimits.maximumSettings else {
            throw KeychainError(.param, "there are settings for \(TrustLimits.maximumSettings) certificates at most")
        }
        switch domain {
        case .user: _ = try service.trustSettings(.replace(settings), passcode: passcode)
        case .admin:
            let titled = try settings.map { (setting) throws(KeychainError) in
                var setting = setting
                setting.summary = try named(setting.certificate)
                return setting
            }
            try folder.replace(try all().map(\.certificate), with: titled)
        case .system: throw Self.fixed
        }
    }

    /// The certificate's name, by whoever would judge it: what nobody can read is set for nothing.
    private func named(_ certificate: [UInt8]) throws(KeychainError) -> String {
        var question = TrustQuestion([certificate], policies: [TrustPolicy(.basic)])
        question.hasOwnAnchorsOnly = true
        // Whoever is denied something is not to hear of it.
        question.allowsFetching = false
        try question.checkSize()
        let read = try service.evaluate(question).chain.first
        guard let read, !read.defects.contains(.unreadable), !read.defects.contains(.weakKey) else {
            throw KeychainError(.param, "that is no certificate that can be read, or one with too short a key")
        }
        return read.summary
    }

    private static var fixed: KeychainError {
        KeychainError(
            .dataNotModifiable, "the distribution's certificates are its own: set something in another domain instead")
    }
}
