import ChatelaineIPC
import Foundation
import TestSupport
import Testing

@testable import SecurityServer

/// Only a user without a keychain is evaluated for without the list of denials.
struct TrustLedgerTests {
    @Test func whoHasNoKeychainHasDeniedNothing() throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        let deployment = try Deployment.current(
            ProcessEnvironment(
                uid: geteuid(), home: path, variable: { $0 == "CHATELAINE_HOME" ? path : nil },
                isOwnFolder: { _ in true },
                isSystemMode: { false }))
        #expect(deployment.hasNeverHadKeychain)
        for path in [
            "\(deployment.storeFolder(of: .default))/items.db", deployment.markFile(of: .default),
            "\(deployment.enclaveFolder)/keybags", "\(deployment.stateFolder)/identity/applications",
        ] {
            let parent = URL(fileURLWithPath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(!deployment.hasNeverHadKeychain, "\(path)")
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(deployment.hasNeverHadKeychain)
    }
}
