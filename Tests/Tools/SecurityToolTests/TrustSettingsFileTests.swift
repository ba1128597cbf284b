import ChatelaineModel
import Foundation
import Testing

@testable import ChatelaineTrustSettings
@testable import SecurityTool

/// Tests of the property lists by which macOS's tools keep trust settings (formats/trust-settings.md).
struct TrustSettingsFileTests {
    private static let certificate: [UInt8] = [0x30, 1, 7]

    /// A list with one entry, which has the settings and no certificate, as macOS writes it.
    private func list(_ settings: [[String: Any]]) throws -> [UInt8] {
        let digest = try TrustSettingsFile.digest(of: Self.certificate)
        let list: [String: Any] = ["trustVersion": 1, "trustList": [digest: ["trustSettings": settings]]]
        return [UInt8](try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0))
    }

    private func constraints(_ settings: [String: Any]) throws -> [TrustConstraint]? {
        try TrustSettingsFile(try list([settings])).entries.first?.constraints
    }

    /// The verbs of macOS put certificates into file keychains.
    @Test func theCertificateMayBeInAFileKeychain() throws {
        let keychain = FakeKeychain()
        let domain = DomainTrustSettings(.user, of: keychain)
        let list = try list([])
        #expect(throws: KeychainError(.itemNotFound, "")) { try domain.settings(in: list) }
        keychain.keychainItems.withLock { $0.append(FakeKeychain.certificate) }
        #expect(try domain.settings(in: list).map(\.certificate) == [Self.certificate])
    }

    /// Read without the policy that it names, the setting would be one for every policy.
    @Test func aPolicyHasToBeGivenByItsIdentifier() throws {
        let name = ["kSecTrustSettingsPolicyName": "sslServer"]
        #expect(throws: KeychainError(.invalidTrustSettings, "")) { try constraints(name) }
        let policy = Data([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 1, 3])
        let found = try constraints(["kSecTrustSettingsPolicyName": "sslServer", "kSecTrustSettingsPolicy": policy])
        #expect(found?.first?.policy == .ssl)
    }

    @Test(arguments: [
        (-2_147_408_896, Status.hostNameMismatch), (-2_147_409_654, .certificateExpired),
        (-2_147_409_653, .certificateNotValidYet), (-67818, .certificateExpired),
    ])
    func anAllowedErrorOfCSSMIsTranslated(_ number: Int, _ status: Status) throws {
        #expect(
            try constraints(["kSecTrustSettingsAllowedError": number])?.first?.allowedError == Int64(status.rawValue))
    }

    @Test(arguments: [-2_147_409_000, -4_294_967_296, 4_294_967_296])
    func anotherNumberOfCSSMIsRefused(_ number: Int) {
        #expect(throws: KeychainError(.invalidTrustSettings, "")) {
            try constraints(["kSecTrustSettingsAllowedError": number])
        }
    }
}
