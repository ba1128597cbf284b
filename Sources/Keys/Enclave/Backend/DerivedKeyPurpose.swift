import ChatelaineModel
import EnclaveProtocol

/// What a key that the UID key gives is for. The names are part of the derivation: they never change.
package enum DerivedKeyPurpose: Sendable {
    /// One of those that securityd gets for a store.
    case store(StoreKeyPurpose)
    /// Authenticates the file of one keybag; stays in the custodian.
    case keybagAuthentication
    /// Is part of the key of a passcode, so that it opens nothing without the device; stays in the custodian.
    case passcode
    /// Authenticates the file of one keybag's tries; stays in the custodian.
    case triesAuthentication

    /// How the derivation calls it (`Documentation/formats/keybag.md`).
    var name: String {
        switch self {
        case .store(let purpose): purpose.name
        case .keybagAuthentication: "chatelaine keybag authentication"
        case .passcode: "chatelaine passcode device"
        case .triesAuthentication: "chatelaine tries authentication"
        }
    }
}
