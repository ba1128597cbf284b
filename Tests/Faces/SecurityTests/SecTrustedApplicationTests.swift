import ChatelaineModel
import Foundation
import Testing

@testable import Security

/// Tests of trusted applications through Apple's calls without a daemon.
@Suite struct SecTrustedApplicationTests {
    @Test func dataIsTurnedBackIntoAnObject() throws {
        let (one, other) = (try AccessCase.application(1), try AccessCase.application(2, at: "/opt/b"))
        var data: CFData?
        #expect(SecTrustedApplicationCopyData(one, &data) == errSecSuccess)
        #expect(one != other && !CFEqual(one, other))
        #expect(SecTrustedApplicationSetData(other, try #require(data)) == errSecSuccess)
        #expect(one == other && CFEqual(one, other) && CFHash(one) == CFHash(other))
        #expect(other.description == "<SecTrustedApplication: /opt/a>")
    }

    @Test func anythingElseIsNoExternalForm() throws {
        let application = try AccessCase.application(1)
        for data in [Data(), Data("/usr/bin/true".utf8), Data(repeating: 0xFF, count: 20_000)] {
            #expect(SecTrustedApplicationSetData(application, data as CFData) == errSecParam)
        }
        let same = try AccessCase.application(1)
        #expect(application == same)
    }

    @Test func pathsThatCanBeNone() {
        var application: SecTrustedApplication?
        #expect(SecTrustedApplicationCreateFromPath("", &application) == errSecParam)
        #expect(SecTrustedApplicationCreateFromPath([0x2F, -1, 0], &application) == errSecParam && application == nil)
    }

    @Test func typesAndDescriptions() throws {
        let (application, access) = (try AccessCase.application(1), try AccessCase.access())
        let acl = try AccessCase.acl(access, kSecACLAuthorizationEncrypt)
        #expect(CFGetTypeID(application) == SecTrustedApplicationGetTypeID())
        #expect(CFGetTypeID(access) == SecAccessGetTypeID() && CFGetTypeID(acl) == SecACLGetTypeID())
        let identifiers = [
            SecTrustedApplicationGetTypeID(), SecAccessGetTypeID(), SecACLGetTypeID(), SecTaskGetTypeID(),
            SecKeychainItemGetTypeID(), SecAccessControlGetTypeID(),
        ]
        #expect(Set(identifiers).count == identifiers.count)
        #expect(access.description == "<SecAccess: 3 entries>" && acl.description == "<SecACL: encrypt>")
        #expect(SecACLRemove(acl) == errSecSuccess && acl.description == "<SecACL: removed>")
    }
}
