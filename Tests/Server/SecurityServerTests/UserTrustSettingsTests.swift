import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import SecurityServer

/// The file of a person's settings of trust.
struct UserTrustSettingsTests {
    /// What was denied is not dropped to make room (behaviour/limits.md, 54).
    @Test func oneTooManyIsRefused() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("identity"), withIntermediateDirectories: false)
        let user = UserTrustSettings(stateFolder: folder.path)
        let setting = TrustSetting(certificate: [1], subject: [2], summary: "Root", modified: 0)
        var settings = [TrustSetting](repeating: setting, count: TrustLimits.maximumSettings)
        #expect(try user.write(settings) != nil)
        settings.append(setting)
        #expect(throws: KeychainError(.notAvailable, "")) { try user.write(settings) }
        #expect(TemporaryFolder.names(in: folder("identity")).count == 1)
        // Few of them, with more bytes than a file has.
        let large = TrustSetting(
            certificate: [UInt8](repeating: 1, count: TrustLimits.maximumCertificateBytes), subject: [2],
            summary: "Root",
            modified: 0)
        let most = TrustLimits.maximumKnowledgeBytes / TrustLimits.maximumCertificateBytes
        #expect(throws: KeychainError(.notAvailable, "")) { try user.write(.init(repeating: large, count: most)) }
    }
}
