import Foundation
import TestSupport
import Testing

/// Tests of Curve25519 keys as items of both kinds of keychain (behaviour/keys.md).
extension KeyItemTests {
    private static let (signing, agreeing) = ("105", "106")
    private static let eddsa = "algid:sign:EdDSA:message-Curve25519:SHA512"
    /// The most bytes in a request about a keychain's key.
    private static let mostBytes = 1 << 16

    /// The parameters by which a key is made in a keychain and found in it.
    private func place(isFile: Bool) throws -> (making: [String: Any], finding: [String: Any]) {
        guard isFile else { return ([:], [:]) }
        try household.create("a")
        return (["u_Keychain": ["keychain": "a"]], ["m_SearchList": [["keychain": "a"]]])
    }

    @Test(arguments: [false, true])
    func aKeyOfCurve25519Signs(isFile: Bool) throws {
        let place = try place(isFile: isFile)
        _ = try reference(make("curve", Self.signing, 256, place.making))
        let found = try find(["atag": tag("curve"), "r_Ref": true].merging(place.finding) { $1 })
        let key = try reference(found)
        let publicKey = try reference(use("publicKey", key, ""))
        let signed = try use("sign", key, Self.eddsa, ["data": Self.message])
        let verifying: [String: Any] = ["data": Self.message, "signature": Self.base64(signed.data)]
        #expect(try use("verify", publicKey, Self.eddsa, verifying).status == 0)
        // The key neither agrees nor signs with the algorithms of other curves.
        #expect(try use("sign", key, Self.ecdsa, ["data": Self.message]).status == -50)
        // The request carries the whole message, which cannot be hashed beforehand.
        for (count, status) in [(Self.mostBytes, 0), (Self.mostBytes + 1, -50)] {
            let message = Self.base64(Data(repeating: 1, count: count))
            #expect(try use("sign", key, Self.eddsa, ["data": message]).status == status, "\(count)")
        }
        // The exported bytes make the same key again.
        let bytes = try #require(try use("export", key, "").data)
        let query: [String: Any] = ["type": Self.signing, "kcls": "1", "data": Self.base64(bytes)]
        let copy = try reference(probe.ask(["call": "readKey", "query": query]))
        #expect(try use("sign", copy, Self.eddsa, ["data": Self.message]).data == signed.data)
        let again: [String: Any] = ["v_Ref": copy, "atag": tag("again")]
        #expect(try probe.call("add", again.merging(place.making) { $1 }).status == 0)
    }

    @Test(arguments: [false, true])
    func aKeyOfCurve25519Agrees(isFile: Bool) throws {
        let place = try place(isFile: isFile)
        let key = try reference(make("curve", Self.agreeing, 256, place.making))
        let other = try reference(
            probe.ask(["call": "makeKey", "query": ["type": Self.agreeing, "bsiz": 256] as [String: Any]]))
        let (publicKey, otherPublic) = (
            try reference(use("publicKey", key, "")), try reference(use("publicKey", other, ""))
        )
        let algorithm = "algid:keyexchange:ECDH"
        let mine = try use("agree", key, algorithm, ["other": otherPublic])
        #expect(mine.data?.count == 32)
        #expect(try use("agree", other, algorithm, ["other": publicKey]).data == mine.data)
        // Points of low order, with which every secret would be zero.
        for first: UInt8 in [0, 1] {
            let point = Self.base64(Data([first] + [UInt8](repeating: 0, count: 31)))
            let query: [String: Any] = ["type": Self.agreeing, "kcls": "0", "data": point]
            let low = try reference(probe.ask(["call": "readKey", "query": query]))
            #expect(try use("agree", key, algorithm, ["other": low]).status == -26275)
        }
        #expect(try use("sign", key, Self.eddsa, ["data": Self.message]).status == -50)
    }
}
