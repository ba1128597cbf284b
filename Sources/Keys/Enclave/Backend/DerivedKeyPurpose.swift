import ChatelaineModel
import EnclaveProtocol

/// The purpose of a key derived from the UID key.
///
/// The names are part of the derivation, so they never change.
package enum DerivedKeyPurpose: Sendable {
    /// A key that securityd gets for a store.
    case store(StoreKeyPurpose)
    /// Authenticates the file of one keybag.
    ///
    /// It stays in the custodian.
    case keybagAuthentication
    /// A part of the passcode key, which therefore opens nothing without the device.
    ///
    /// It stays in the custodian.
    case passcode
    /// Authenticates the file of one keybag's tries.
    ///
    /// It stays in the custodian.
    case triesAuthentication

    /// The name in the derivation (`Documentation/formats/keybag.md`).
    var name: String {
        switch self {
        case .store(let purpose): purpose.name
        case .keybagAuthentication: "chatelaine keybag authentication"
        case .passcode: "chatelaine passcode device"
        case .triesAuthentication: "chatelaine tries authentication"
        }
    }
}
