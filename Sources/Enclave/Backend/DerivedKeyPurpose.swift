/// What a key that the UID key gives is for. The names are part of the derivation: they never change.
public enum DerivedKeyPurpose: String, Sendable {
    /// Digests of attribute values in one store; handed to securityd.
    case index = "chatelaine index"
    /// Authenticates securityd's own records beside one store; handed to securityd.
    case record = "chatelaine record"
    /// Authenticates the file of one keybag; stays in the custodian.
    case keybagAuthentication = "chatelaine keybag authentication"
}
