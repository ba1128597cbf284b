extension Confinement {
    /// The process that reads one file of keys and certificates: as ``trust()``, memory, its channel, and nothing else.
    ///
    /// The libraries and their ciphers are loaded before.
    package static func formats() -> Confinement { trust() }
}
