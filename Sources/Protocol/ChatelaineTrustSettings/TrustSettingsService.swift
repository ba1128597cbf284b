import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// Reads and changes trust settings: ``KeychainClient`` in a program, a stand-in in tests.
package protocol TrustSettingsService: Sendable {
    func trustSettings(_ command: TrustSettingsCommand, passcode: SecretBytes?) throws(KeychainError) -> [TrustSetting]
    func systemRoots() throws(KeychainError) -> [[UInt8]]
    func evaluate(_ question: TrustQuestion) throws(KeychainError) -> TrustVerdict
    func read(certificates: [[UInt8]]) throws(KeychainError) -> [CertificateReading]
    func find(_ query: ItemQuery) throws(KeychainError) -> [FoundItem]
    func find(_ query: ItemQuery, in scope: KeychainScope) throws(KeychainError) -> [KeychainItem]
}

extension KeychainClient: TrustSettingsService {}

/// The trust settings of one of the three domains (`SecTrustSettings`).
///
/// securityd changes the user's settings, with the passcode where there is one. The machine's settings are files that
/// programs of root write. The distribution's settings cannot be changed here.
package struct DomainTrustSettings {
    let service: any TrustSettingsService
    let domain: TrustSetting.Domain
    /// The passcode for changes of the user's settings; nil has securityd ask for it in a dialog, where there is one.
    let passcode: SecretBytes?
    let folder: MachineTrustFolder

    package init(
        _ domain: TrustSetting.Domain, of service: any TrustSettingsService, passcode: SecretBytes? = nil,
        folder: MachineTrustFolder = MachineTrustFolder()
    ) {
        (self.domain, self.service, self.passcode, self.folder) = (domain, service, passcode, folder)
    }

    /// Every certificate that has settings; the distribution's come without names.
    package func all() throws(KeychainError) -> [TrustSetting] {
        guard domain == .system else { return try service.trustSettings(.list(domain), passcode: nil) }
        return try service.systemRoots().map {
            TrustSetting(certificate: $0, subject: [], summary: "", modified: 0)
        }
    }

    /// - Throws: `errSecItemNotFound` where the certificate has no settings.
    package func setting(of certificate: [UInt8]) throws(KeychainError) -> TrustSetting {
        guard let setting = try all().first(where: { $0.certificate == certificate }) else {
            throw KeychainError(.itemNotFound, "nothing is set about trust in this certificate")
        }
        return setting
    }

    /// Sets what a certificate is trusted for, replacing former settings; without constraints it is trusted for
    /// everything.
    package func set(_ constraints: [TrustConstraint], of certificate: [UInt8]) throws(KeychainError) {
        guard constraints.count <= TrustLimits.maximumConstraints else {
            throw KeychainError(.param, "settings have \(TrustLimits.maximumConstraints) constraints at most")
        }
        if domain != .system { try TrustResultRule.check(constraints, of: certificate, service) }
        switch domain {
        case .user: _ = try service.trustSettings(.set(certificate: certificate, constraints), passcode: passcode)
        case .admin: try folder.add(try named(certificate), certificate, constraints)
        case .system: throw Self.fixed
        }
    }

    /// - Throws: `errSecItemNotFound` where the certificate has no settings.
    package func remove(_ certificate: [UInt8]) throws(KeychainError) {
        switch domain {
        case .user: _ = try service.trustSettings(.remove(certificate: certificate), passcode: passcode)
        case .admin: try folder.remove(certificate)
        case .system: throw Self.fixed
        }
    }

    /// Replaces all settings; where one of them cannot be set, nothing is changed.
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

    /// The certificate's name, as trustd reads it: a certificate that trustd cannot read gets no settings.
    private func named(_ certificate: [UInt8]) throws(KeychainError) -> String {
        var question = TrustQuestion([certificate], policies: [TrustPolicy(.basic)])
        question.hasOwnAnchorsOnly = true
        // The servers that a certificate names must not learn that it is denied.
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
