import Foundation
import TestSupport
import Testing

/// Tests of the parameters of keys that are made as items (behaviour/keys.md).
extension KeyItemTests {
    private func made(_ query: [String: Any], _ call: String = "makeKey") throws -> Int {
        try probe.ask(["call": call, "query": query]).status
    }

    /// Where the part about the private key and the whole dictionary differ, the part says what is made.
    @Test func anItemSaysWhatWasMade() throws {
        let part: [String: Any] = ["type": Self.ec, "bsiz": 384, "perm": true, "atag": tag("part")]
        #expect(try made(["type": Self.rsa, "bsiz": 1024, "esiz": 7, "private": part]) == 0)
        let attributes = try #require(try find(["atag": tag("part"), "r_Attributes": true]).dictionary)
        for (name, value) in [("type", 73), ("bsiz", 384), ("esiz", 384)] {
            #expect((attributes[name] as? NSNumber)?.intValue == value, "\(name)")
        }
        // A part about the public key names no other key.
        let odd: [String: Any] = ["type": Self.rsa, "bsiz": 1024, "perm": true, "atag": tag("public")]
        #expect(try made(["type": Self.ec, "bsiz": 256, "public": odd]) == 0)
        let other = try #require(try find(["atag": tag("public"), "r_Attributes": true]).dictionary)
        #expect((other["type"] as? NSNumber)?.intValue == 73 && (other["bsiz"] as? NSNumber)?.intValue == 256)
    }

    /// libcrypto makes RSA keys of even sizes only.
    @Test func noKeyIsSmallerThanWasAsked() throws {
        #expect(try make("odd", Self.rsa, 2049).status == -50)
        #expect(try find(["atag": tag("odd"), "r_Ref": true]).status == -25300)
    }

    @Test func aPublicKeyThatIsNotPermanentIsNoItem() throws {
        for permanent in [[:], ["perm": false]] as [[String: Any]] {
            let part: [String: Any] = ["tkid": "com.apple.setoken", "atag": tag("half")]
            #expect(try made(["type": Self.ec, "bsiz": 256, "public": part.merging(permanent) { $1 }]) == 0)
            #expect(try find(["kcls": "0", "r_Ref": true]).status == -25300)
        }
        // One that is permanent is on no token.
        let part: [String: Any] = ["tkid": "com.apple.setoken", "perm": true, "atag": tag("half")]
        #expect(try made(["type": Self.ec, "bsiz": 256, "public": part]) == 0)
        let attributes = try #require(try find(["atag": tag("half"), "r_Attributes": true]).dictionary)
        #expect(attributes["tkid"] == nil || attributes["tkid"] as? String == "")
        let unknown: [String: Any] = ["tkid": "com.example.token", "perm": true]
        #expect(try made(["type": Self.ec, "bsiz": 256, "public": unknown]) == -4)
    }

    /// Text counts as no boolean: "false" would be a key that is exportable.
    @Test(arguments: ["false", "no", "00", "0", "1"]) func textIsNoBoolean(_ text: String) throws {
        for name in ["extr", "perm"] {
            #expect(try make("text", Self.ec, 256, [name: text]).status == -50, "\(name)")
            let part = ["perm": true as Any].merging([name: text]) { $1 }
            let query: [String: Any] = ["type": Self.ec, "bsiz": 256, "private": part]
            #expect(try made(query, "makePair") == -50)
        }
        #expect(try find(["r_Ref": true]).status == -25300)
    }
}
