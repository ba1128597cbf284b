import ChatelaineIdentityPreferences
import ChatelaineModel
import Testing

@testable import SecurityTool

/// Tests of the requests to file keychains about preferred identities.
struct IdentityPreferenceTests {
    /// The calls keep to the process's own setting (`SecKeychainSetUserInteractionAllowed`).
    @Test(arguments: [AuthenticationUI.allow, .fail]) func nobodyIsAskedWhereThatIsForbidden(ui: AuthenticationUI) {
        let keychain = FakeKeychain()
        let preferences = IdentityPreferences(.identity, usage: 0, of: keychain, ui)
        try? preferences.set([1], called: "Anna", for: "https://example.com")
        _ = try? preferences.reference(for: "https://example.com")
        try? preferences.remove("https://example.com")
        keychain.keychainItems.withLock { $0 = [] }
        try? preferences.set([1], called: "Anna", for: "https://example.com")
        let asked = keychain.all.compactMap { asked -> AuthenticationUI? in
            switch asked {
            case .findInKeychains(let query, _), .updateInKeychains(let query, _, _): query.authenticationUI
            case .deleteInKeychains(let query, _, _): query.authenticationUI
            case .addToKeychain(let item, _): item.authenticationUI
            default: nil
            }
        }
        #expect(asked.count >= 4 && asked.allSatisfy { $0 == ui }, "\(asked)")
    }
}
