/// Another keeper of secrets, and the work that it is compared by.
protocol Peer {
    static var name: String { get }
    /// Stores one item so that it survives a crash, as far as the peer can.
    func store(_ account: String) throws
    /// The length of the secret of one item.
    func find(_ account: String) throws -> Int
    /// How many items a look-up of all gives, each with its secret.
    func findAll() throws -> Int
}
