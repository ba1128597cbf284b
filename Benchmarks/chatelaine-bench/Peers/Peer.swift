/// A keychain in the comparison, and the calls that are compared.
protocol Peer {
    static var name: String { get }
    /// Stores one item so that it survives a crash, as far as the peer can.
    func store(_ account: String) throws
    /// Finds one item and returns the length of its secret.
    func find(_ account: String) throws -> Int
    /// Finds all items with their secrets and returns their number.
    func findAll() throws -> Int
}
