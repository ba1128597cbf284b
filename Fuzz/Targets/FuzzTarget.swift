/// The readers that take bytes from outside, each as a function of bytes that checks what must always hold.
///
/// An error is fine; what breaks an invariant traps, as does whatever else a fuzzer or sanitizer is there to find.
enum FuzzTarget: String, CaseIterable {
    /// The reader and writer of `cbor.md`.
    case cbor
    /// Frames over a socket whose calls do what the input says.
    case frames
    /// What client, securityd, enclaved, security-agent, trustd, formatd and fetchd say to each other.
    case messages
    /// Lines of pinentry's, and what others have chosen in the text of a dialog.
    case dialogs
    /// Signatures of programs, up to their certificates.
    case signatures
    /// Files of keys and certificates: PEM, DER, OpenSSH's …
    case formats
    /// … and what libcrypto makes of PKCS#12 and PKCS#8 that is encrypted.
    case bundles
    /// Access objects of file keychains, and what is decided by them.
    case access
    /// Dictionaries of callers.
    case queries
    /// Sealed rows: authentic ones that were changed, and authentic nonsense.
    case rows
    /// Keybags and UID keys.
    case keybag
    /// Headers of file keychains, and preferences.
    case keychains
    /// Manifests of snapshots, marks, and databases and logs that SQLite would refuse.
    case snapshots
    /// Whole stores in whose tables somebody has written.
    case stores

    func run(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .cbor: CBORTarget.run(bytes)
        case .frames: FrameTarget.run(bytes)
        case .messages: MessageTarget.run(bytes)
        case .dialogs: DialogTarget.run(bytes)
        case .signatures: SignatureTarget.run(bytes)
        case .formats: FormatTarget.run(bytes)
        case .bundles: FormatTarget.runBundle(bytes)
        case .access: AccessTarget.run(bytes)
        case .queries: QueryTarget.run(bytes)
        case .rows: RowTarget.run(bytes)
        case .keybag: KeybagTarget.run(bytes)
        case .keychains: KeychainTarget.run(bytes)
        case .snapshots: SnapshotTarget.run(bytes)
        case .stores: StoreTarget.run(bytes)
        }
    }
}
