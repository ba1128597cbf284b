/// Whether the kernel itself keeps a file system's content, or a server decides at every read what the reader sees.
enum FileSystemKind: Sendable {
    case local
    case remote
    /// A program of a user serves it.
    ///
    /// It is remote and may never answer, so the daemon asks nothing of it.
    case provided

    /// Magic numbers of FUSE and of network file systems (statfs(2), `linux/magic.h`).
    ///
    /// What such a server shows to the daemon may differ from what the process runs.
    private static let remoteMagics: Set<UInt64> = [
        0x6573_5546,  // FUSE, virtiofs
        0x6969,  // NFS
        0x517B,  // SMB
        0xFE53_4D42,  // SMB2
        0xFF53_4D42,  // CIFS
        0x7375_7245,  // Coda
        0x5346_414F,  // AFS
        0x6B41_4653,  // AFS of the kernel
        0x00C3_6400,  // Ceph
        0x0102_1997,  // 9P
        0x564C,  // NCP
        0x0BD0_0BD0,  // Lustre
        0x2003_0528,  // OrangeFS
        0x4750_4653,  // GPFS
        0x1983_0326,  // BeeGFS
        0xAAD7_AAEA,  // PanFS
        0x786F_4256,  // VirtualBox shared folders
        0xBACB_ACBC,  // VMware shared folders
        0x7C7C_6673,  // Parallels shared folders
    ]

    init(magic: UInt64) { self = Self.remoteMagics.contains(magic) ? .remote : .local }
}
