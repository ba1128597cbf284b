import ChatelaineMemory
import ChatelaineModel
import Crypto
import EnclaveProtocol
import Foundation
import InProcess
import ItemStore
import Sealing
import Synchronization
import TestSupport
import Testing

@testable import Enclave

/// Tests that no memory of a participating process holds the private number of an enclave key.
///
/// No call shows that number. The test unseals it from the files of its own home.
@Suite struct EnclaveKeyMemoryTests {
    private static let token = ["tkid": "com.apple.setoken"]
    private static let name = "scanned"
    private let tests: KeyItemTests
    private var household: Household { tests.household }

    init() throws { tests = try KeyItemTests() }

    @Test func itIsInNoMemoryOnceItHasSigned() throws {
        guard Privilege.isThere() else { return }
        _ = try tests.reference(tests.make(Self.name, KeyItemTests.ec, 256, Self.token))
        let found = try tests.find(["atag": tests.tag(Self.name), "r_Attributes": true])
        let group = try #require(found.dictionary?["agrp"] as? String)
        household.dismiss()
        let privateKey = try unsealed(in: AccessGroup(group))
        let number = privateKey.rawRepresentation.withUnsafeBytes { [UInt8]($0) }
        // Libraries store numbers in either byte order.
        let patterns = [number, number.reversed()]

        let signer = try household.probe()
        let key = try tests.reference(tests.find(["atag": tests.tag(Self.name), "r_Ref": true], of: signer))
        for _ in 0..<3 {
            let signed = try tests.use("sign", key, KeyItemTests.ecdsa, ["data": KeyItemTests.message], of: signer)
            // The unsealed number is that of this key.
            let signature = try P256.Signing.ECDSASignature(derRepresentation: try #require(signed.data))
            #expect(privateKey.publicKey.isValidSignature(signature, for: Data("a message".utf8)))
        }
        try expectNone(of: patterns, with: signer)
        let other = try tests.reference(
            signer.ask(["call": "makeKey", "query": ["type": KeyItemTests.ec, "bsiz": 256] as [String: Any]]))
        let otherPublic = try tests.reference(tests.use("publicKey", other, "", of: signer))
        let agreed = try tests.use("agree", key, "algid:keyexchange:ECDH", ["other": otherPublic], of: signer)
        #expect(agreed.data?.count == 32)
        try expectNone(of: patterns, with: signer)
        // The same search finds the number in a program that was given it.
        let holder = try household.probe("holder")
        let given: [String: Any] = [
            "type": KeyItemTests.ec, "kcls": "1", "data": KeyItemTests.base64(privateKey.x963Representation),
        ]
        _ = try tests.reference(holder.ask(["call": "readKey", "query": given]))
        #expect(!ProcessMemory(of: holder.pid).regions(holding: patterns).isEmpty)
    }

    private func expectNone(
        of patterns: [[UInt8]], with signer: ProbeProcess, location: SourceLocation = #_sourceLocation
    ) throws {
        let daemons = [household.daemonPID, household.custodianPID, household.keydPID]
        let all = [signer.pid] + (try daemons.map { try #require($0) }) + household.helperPIDs + household.keyWorkerPIDs
        for pid in all {
            let found = ProcessMemory(of: pid).regions(holding: patterns).map { "\($0.name) \($0.range)" }
            #expect(found == [], "\(ProcessTable.name(of: pid) ?? "?")", sourceLocation: location)
        }
    }

    /// The private key, unsealed from a copy of the daemons' files: the store finds its row, and the custodian's keys
    /// open it.
    private func unsealed(in group: AccessGroup) throws -> P256.Signing.PrivateKey {
        let copy = try TemporaryFolder()
        for folder in ["data", "state"] {
            try FileManager.default.copyItem(atPath: "\(household.home)/\(folder)", toPath: "\(copy.path)/\(folder)")
        }
        let enclave = Enclave(stateFolder: "\(copy.path)/state/enclave")
        let used = Mutex<SealedKey?>(nil)
        let store = try ItemStore(
            folder: "\(copy.path)/data/stores/default", mark: "\(copy.path)/state/stores/default.mark",
            keys: CustodianKeys(enclave, noting: { key in used.withLock { $0 = key } }))
        var query = ItemQuery(itemClass: .key)
        query.attributes[.applicationTag] = .data(Array(Self.name.utf8))
        let item = try #require(try store.find(query, groups: [group]).first)
        let digest = [UInt8](repeating: 1, count: SHA256.byteCount)
        _ = try store.useKey(
            item.identifier, .sign(algorithm: "algid:sign:ECDSA:digest-X962", digest), groups: [group])
        let key = try #require(used.withLock { $0 })
        var last: WrappingKey?
        let rowKey = try enclave.unwrap(
            key.rowKey, try enclave.custodian(of: store.identifier), &last)
        let sealing = try SealingKey(rowKey)
        let content = try key.sealed.withUnsafeBytes { bytes in
            try sealing.open(bytes, as: .secret, keyID: 0, at: key.rowKey.context)
        }
        // The kind of the key stands before its bytes.
        return try content.withUnsafeBytes { try P256.Signing.PrivateKey(x963Representation: $0.dropFirst()) }
    }
}
