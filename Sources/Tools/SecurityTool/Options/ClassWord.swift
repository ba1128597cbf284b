import ArgumentParser
import ChatelaineModel

/// An item class as a word of the command line and of JSON.
enum ClassWord: String, CaseIterable, ExpressibleByArgument, Sendable {
    case generic = "generic"
    case internet = "internet"
    case certificate = "certificate"
    case key = "key"
    case identity = "identity"

    init(_ itemClass: ItemClass) {
        switch itemClass {
        case .genericPassword: self = .generic
        case .internetPassword: self = .internet
        case .certificate: self = .certificate
        case .key: self = .key
        case .identity: self = .identity
        }
    }

    var itemClass: ItemClass {
        switch self {
        case .generic: .genericPassword
        case .internet: .internetPassword
        case .certificate: .certificate
        case .key: .key
        case .identity: .identity
        }
    }

    var isPassword: Bool { self == .generic || self == .internet }
}
