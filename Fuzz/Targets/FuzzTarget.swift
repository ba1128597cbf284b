/// The readers of untrusted bytes; each target is a function of bytes that checks the reader's invariants.
///
/// An error is fine. A broken invariant traps, as does every defect that a fuzzer or sanitizer finds.
enum FuzzTarget: String, CaseIterable {
    /// The reader and writer of `cbor.md`.
    case cbor
    /// Frames over a socket whose system calls follow the input.
    case frames
    /// The messages between client, securityd, enclaved, security-agent, trustd, formatd and fetchd.
    case messages
    /// Lines from pinentry, and untrusted text in a dialog.
    case dialogs
    /// Signatures of programs, up to their certificates.
    case signatures
    /// Files of keys and certificates: PEM, DER, OpenSSH and others.
    case formats
    /// Encrypted PKCS#12 and PKCS#8, which libcrypto reads.
    case bundles
    /// Access objects of file keychains, and the decisions by them.
    case access
    /// The query dictionaries of callers.
    case queries
    /// Sealed rows: changed authentic rows, and authentic nonsense.
    case rows
    /// Keybags and UID keys.
    case keybag
    /// Headers of file keychains, and preferences.
    case keychains
    /// Manifests of snapshots, marks, and databases and logs that SQLite would refuse.
    case snapshots
    /// Whole stores with changed tables.
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
