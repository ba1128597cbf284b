import ChatelaineSystem
import EnclaveProtocol

/// The messages that the client sends: calls to fprintd, and reports to the custodian.
extension FprintClient {
    func ask(
        _ task: FprintTask, _ step: FprintTask.Step, _ member: String, of interface: String, at path: String,
        to name: String,
        _ words: [String] = [], now: Int64
    ) throws(Errno) {
        guard let bus else { throw .invalid }
        task.step = step
        if task.isMatch { task.limit = now + Self.stepPatience }
        let serial = try bus.call(
            member, of: interface, at: path, to: name, words, starts: step == .manager)
        questions[serial] = .step(task)
    }

    func askDriver(_ question: Question, _ member: String, _ word: String) throws(Errno) {
        guard let bus else { throw .invalid }
        let serial = try bus.call(
            member, of: SystemBus.driver, at: "/org/freedesktop/DBus", to: SystemBus.driver, [word])
        questions[serial] = question
    }

    func askDevice(
        _ task: FprintTask, _ step: FprintTask.Step, _ member: String, _ words: [String] = [],
        of interface: String = device,
        now: Int64
    ) throws(Errno) {
        try ask(task, step, member, of: interface, at: task.path, to: task.owner, words, now: now)
    }

    func claim(_ task: FprintTask, _ now: Int64) throws(Errno) {
        try askDevice(task, .claim, "Claim", [Self.caller], now: now)
    }

    func stopVerifying(_ task: FprintTask, _ now: Int64) throws(Errno) {
        try askDevice(task, .stop, "VerifyStop", now: now)
    }

    func release(_ task: FprintTask, _ now: Int64) throws(Errno) {
        try askDevice(task, .release, "Release", now: now)
    }

    // MARK: Reporting

    func report(_ kind: MatcherReport.Kind, _ id: UInt64, _ enrolment: FingerEnrolment? = nil) {
        reports.append(MatcherReport(kind, id, enrolment))
    }

    func tell(_ task: FprintTask, _ kind: MatcherReport.Kind, _ enrolment: FingerEnrolment? = nil) {
        if task.isAwaited { report(kind, task.id, enrolment) }
        task.isAwaited = false
    }

    func fail(_ task: FprintTask) { tell(task, task.isMatch ? .failed : .enrolment) }

    func end(_ task: FprintTask, _ now: Int64) {
        tasks.removeAll { $0 === task }
        guard task.isMatch, let order = next else { return }
        next = nil
        tasks.append(FprintTask(order, limit: now + Self.stepPatience))
    }

    /// Fails a task, and releases its device.
    func giveBack(_ task: FprintTask, _ now: Int64) throws(Errno) {
        fail(task)
        if task.isClaimed, task.step != .release { try release(task, now) } else { end(task, now) }
    }
}
