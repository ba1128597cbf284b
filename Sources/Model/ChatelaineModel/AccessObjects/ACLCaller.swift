/// Who asks to use an item of a file keychain, as far as its access object decides by it.
package struct ACLCaller: Hashable, Sendable {
    /// Why nobody can be sure of a program, whoever it seems to be.
    package struct Doubts: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Declared as in development: its content changes all day.
        package static let inDevelopment = Doubts(rawValue: 1)
        /// A debugger speaks through it.
        package static let traced = Doubts(rawValue: 2)
        /// Others' code was loaded into it when it started (`LD_PRELOAD`): looked for when a person is to have it remembered, and at no other
        /// time (decision 8).
        package static let preloaded = Doubts(rawValue: 4)
        /// Whether that is so cannot be seen.
        package static let hidesItsStart = Doubts(rawValue: 8)
    }

    /// Nil of a program that is not to be known: its signature does not count, or its file cannot be read.
    package var identity: TrustedApplication.Identity?
    /// `shared` is any script of the user's.
    package var assurance: Assurance
    package var path: ExactText
    package var standing: CodeStanding
    /// Nil where nothing says whose program it is.
    package var partition: PartitionID?
    package var doubts: Doubts
    /// Nil of a program that is listed and does not run.
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

    /// Whether it may be let in without asking, where it is listed.
    ///
    /// The `security` command may, although it is `shared`: whoever lists it, or its partition, lists every program of
    /// the user's and knows it.
    var isCertain: Bool { isSecurityTool || isCertainProgram }

    /// As the entry lists it whose maker named it, itself among others; it may be asked about all the same. Nil of one
    /// that is not to be known.
    package var listed: TrustedApplication? { identity.map { TrustedApplication($0, assurance, at: path) } }

    /// What *Always Allow* writes; nil of a program that is never remembered.
    package var rememberable: TrustedApplication? { !isSecurityTool && isCertainProgram ? listed : nil }

    private var isSecurityTool: Bool { identity == .securityTool }

    private var isCertainProgram: Bool {
        assurance >= .file && doubts.isEmpty && (standing == .valid || standing == .unsigned)
    }

    /// Whether the partition list has it.
    func isIn(_ list: PartitionList) -> Bool {
        guard isCertain, let partition, partition != .apple || assurance != .shared else { return false }
        return list.contains(partition)
    }
}

extension TrustedApplication {
    /// Whether this is that program, no less surely than it was then.
    func admits(_ caller: ACLCaller) -> Bool {
        caller.isCertain && caller.identity == identity && caller.assurance >= assurance
    }
}
