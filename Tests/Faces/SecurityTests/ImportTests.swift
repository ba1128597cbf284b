import Security
import Testing

/// Tests that a file which imports only Security sees CoreFoundation's names too, as on Apple's platforms.
struct ImportTests {
    @Test func securityBringsCoreFoundation() {
        let query: [String: Any] = [kSecClass as String: kSecClassKey, kSecReturnRef as String: kCFBooleanTrue!]
        let dictionary: CFDictionary = query as CFDictionary
        let result: CFTypeRef? = dictionary
        #expect(CFGetTypeID(result) == CFDictionaryGetTypeID())
        #expect(dictionary.count == 2)
        let text: CFString? = SecCopyErrorMessageString(errSecItemNotFound, nil)
        #expect(text != nil)
        let status: OSStatus = errSecSuccess
        #expect(status == noErr)
    }
}
