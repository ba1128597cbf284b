import ChatelaineIPC
import ChatelaineModel

/// Carries out requests about keychain preferences.
///
/// Any program of the user may send them, as on macOS.
enum PreferencesHandler {
    static let routes: [RequestRoute] = [.init(aside: read), .init(aside: set)]

    static func read(
        _ request: ReadKeychainPreference, _ context: inout RequestContext
    ) throws(KeychainError) -> KeychainPlaces {
        let (keeper, domain) = (context.services.keychainPreferences, request.domain)
        let places: [KeychainPlace] =
            switch request.preference {
            case .searched: try keeper.searchList(of: domain)
            case .searchList: try keeper.ownList(of: domain)
            case .defaultKeychain: [try keeper.defaultKeychain(of: domain)]
            case .loginKeychain: try keeper.loginKeychain(of: domain).map { [$0] } ?? []
            }
        return KeychainPlaces(places.map(\.text))
    }

    static func set(
        _ request: SetKeychainPreference, _ context: inout RequestContext
    ) throws(KeychainError) -> NoReply {
        let (services, domain, places) = (context.services, request.domain, request.places)
        let keeper = services.keychainPreferences
        switch request.preference {
        case .searched: try keeper.setSearched(places, of: domain)
        case .searchList: try keeper.setSearchList(places, of: domain)
        case .defaultKeychain: try keeper.setDefaultKeychain(try one(places), of: domain)
        case .loginKeychain: try keeper.setLoginKeychain(try one(places), of: domain)
        }
        services.log.notice(
            "keychain preferences were set", ["domain": domain.word, "pid": "\(context.slot.pid)"])
        return NoReply()
    }

    /// The one keychain of a request; nil for none.
    private static func one(_ places: [String]) throws(KeychainError) -> String? {
        guard places.count <= 1 else {
            throw KeychainError(.param, "\(places.count) keychains were given, of which one can be it")
        }
        return places.first
    }
}
