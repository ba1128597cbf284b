/// The program that asks to use an item of a file keychain, with the properties on which the access object decides.
package struct ACLCaller: Hashable, Sendable {
    /// Reasons why a program's identity is uncertain. The bits are in questions to the agent.
    package struct Doubts: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The program is declared as in development, so its content changes all the time.
        package static let inDevelopment = Doubts(rawValue: 1)
        /// The program has a debugger, which can speak through it.
        package static let traced = Doubts(rawValue: 2)
        /// The program was started with others' code (`LD_PRELOAD`).
        ///
        /// This is looked for only when a person wants the program remembered (decision 8).
        package static let preloaded = Doubts(rawValue: 4)
        /// Whether the program was started with others' code cannot be seen.
        package static let hidesItsStart = Doubts(rawValue: 8)
    }

    /// Nil if the program cannot be known, because its signature does not count or its file cannot be read.
    package var identity: TrustedApplication.Identity?
    /// The certainty of the identity; `shared` stands for any script of the user.
    package var assurance: Assurance
    package var path: ExactText
    package var standing: CodeStanding
    /// Nil if nothing tells whose program it is.
    package var partition: PartitionID?
    package var doubts: Doubts
    /// Nil for a listed program that is not running.
    package var process: ProcessUser?

    package init(
        _ identity: TrustedApplication.Identity?, _ assurance: Assurance, at path: ExactText, _ standing: CodeStanding,
        in partition: PartitionID?, doubts: Doubts = [], as process: ProcessUser? = nil
    ) {
        self.identity = identity
        self.assurance = assurance
        self.path = path
        self.standing = standing
        self.partition = partition
        self.doubts = doubts
        self.process = process
    }

    /// Whether the program may be let in without asking if it is listed.
    ///
    /// The `security` command may, although it is `shared`: listing it, or its partition, means to list every program
    /// of the user.
    var isCertain: Bool { isSecurityTool || isCertainProgram }

    /// The program as an entry lists it, or nil if it cannot be known.
    ///
    /// An entry lists it so if its creator named it, itself included. A person may be asked about it all the same.
    package var listed: TrustedApplication? { identity.map { TrustedApplication($0, assurance, at: path) } }

    /// The program as *Always Allow* writes it; nil if it is never remembered.
    package var rememberable: TrustedApplication? { !isSecurityTool && isCertainProgram ? listed : nil }

    private var isSecurityTool: Bool { identity == .securityTool }

    private var isCertainProgram: Bool {
        assurance >= .file && doubts.isEmpty && (standing == .valid || standing == .unsigned)
    }

    /// Whether the caller is in a partition of the list.
    func isIn(_ list: PartitionList) -> Bool {
        guard isCertain, let partition, partition != .apple || assurance != .shared else { return false }
        return list.contains(partition)
    }
}

extension TrustedApplication {
    /// Whether a caller is this program, with at least the assurance of the time of listing.
    func admits(_ caller: ACLCaller) -> Bool {
        caller.isCertain && caller.identity == identity && caller.assurance >= assurance
    }
}
