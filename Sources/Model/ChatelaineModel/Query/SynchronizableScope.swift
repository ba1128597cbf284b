/// Which items a search includes, by `kSecAttrSynchronizable`.
package enum SynchronizableScope: UInt8, Sendable {
    case local = 0
    case synchronizable = 1
    case any = 2

    package func contains(_ isSynchronizable: Bool) -> Bool {
        switch self {
        case .local: !isSynchronizable
        case .synchronizable: isSynchronizable
        case .any: true
        }
    }
}
