import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openArchive } from '#archive/source.ts'
import { type PlannedNames, type Verified, verifyMove } from '#moving/verify.ts'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { checkMoveJob, importMoveJob } from '#server/features/moves/moves.jobs.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import type { Additions } from '#shared/contract/move-updates.ts'
import { createAccount, createSpace, type TestAccount } from './factories.ts'
import { picturedSpace, rescuedFrom } from './newt-stand-in/archive.ts'
import type { Stored, StoredSpace } from './newt-stand-in/space.ts'
import { runWaiting } from './run-now.ts'
import { ok, startInstallation, type TestInstallation } from './server.ts'

/** Time of the changes in Newt. */
export const changedAt = '2026-11-20T10:00:00.000Z'

/** An installation for imports that listens on a port of 127.0.0.1. */
export class Movers {
  readonly installation: TestInstallation
  readonly admin: TestAccount
  readonly server: string
  readonly #first: Buffer

  private constructor(installation: TestInstallation, admin: TestAccount, first: Buffer) {
    this.installation = installation
    this.admin = admin
    this.#first = first
    this.server = `http://127.0.0.1:${(installation.server.server.address() as AddressInfo).port}`
  }

  static async start(): Promise<Movers> {
    const installation = await startInstallation()
    const admin = await createAccount(installation)
    await installation.server.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
    return new Movers(installation, admin, await rescuedFrom(await picturedSpace()))
  }

  /** Returns a new space with the imported app of {@link picturedSpace}. */
  async moveIn(): Promise<MovedApp> {
    const space = await createSpace(this.admin.client)
    const moved = new MovedApp(this, space, await picturedSpace())
    moved.origin = await moved.upload(this.#first)
    await moved.apply(moved.origin)
    return moved
  }
}

/** An imported app, and the current state of the app in Newt. */
export class MovedApp {
  readonly space: { uid: string; url: string }
  readonly newt: StoredSpace
  readonly #movers: Movers
  /** `_id` of the move that imported the app. Empty until then. */
  origin = ''

  constructor(movers: Movers, space: { uid: string; url: string }, newt: StoredSpace) {
    this.#movers = movers
    this.space = space
    this.newt = newt
  }

  get #client() {
    return this.#movers.admin.client
  }

  moveUrl = (id: string, rest = '') => `${this.space.url}/move/${id}${rest}`
  modelUrl = (uid: string) => `${this.space.url}/app/blog/model/${uid}`
  docUrl = (model: string, id: string) => `${this.modelUrl(model)}/doc/${id}`

  getMove = async (id: string) => ok(await this.#client.get(this.moveUrl(id))).move
  /** Returns the changes of an update, with their counts. */
  getUpdate = async (id: string) => ok(await this.#client.get(this.moveUrl(id, '/changes')))
  additionsOf = async (id: string): Promise<Additions> => (await this.getUpdate(id)).changes.additions
  getModel = async (uid: string) => ok(await this.#client.get(this.modelUrl(uid))).model
  read = async (model: string, id: string) => ok(await this.#client.get(this.docUrl(model, id))).document

  /** Uploads an archive and has it checked. */
  async upload(zip: Buffer, updates?: string, fileName = 'a.zip'): Promise<string> {
    const data = { fileName, fileSize: zip.length, ...(updates ? { updates } : {}) }
    const { move } = ok(await this.#client.post(`${this.space.url}/move`, { data }))
    const { url } = ok(await this.#client.get(this.moveUrl(move._id, '/signedUrl')))
    const headers = { 'content-type': 'application/zip' }
    await fetch(`${this.#movers.server}${url}`, { method: 'PUT', body: new Uint8Array(zip), headers })
    ok(await this.#client.post(this.moveUrl(move._id, '/signedUrl')))
    await runWaiting(this.#movers.installation, checkMoveJob)
    return move._id
  }

  /** Uploads the current state of Newt as an update. */
  async update(): Promise<string> {
    return this.upload(await rescuedFrom(this.newt), this.origin)
  }

  async apply(id: string) {
    ok(await this.#client.post(this.moveUrl(id, '/start')))
    await runWaiting(this.#movers.installation, importMoveJob)
    return this.getMove(id)
  }

  /** Saves and publishes a document in Newt. */
  editThere(model: string, id: string, change: Record<string, Stored>): void {
    const content = this.newt.models.get(model)?.get(id)
    if (!content) throw new Error(id)
    content.draft = { ...content.draft, ...change }
    const times = { updatedAt: changedAt, publishedAt: changedAt, firstPublishedAt: changedAt }
    Object.assign(content, { published: content.draft, ...times })
  }

  /** Verifies the move: compares the delivery API of this installation with the responses in the archive. */
  async verify(
    zip: Buffer,
    more: { expectsWritten?: boolean; planned?: PlannedNames } = {},
  ): Promise<Verified> {
    const { server } = this.#movers
    const { uid, url } = this.space
    const tokens = {
      cdn: ok(await this.#client.post(`${url}/cdnToken`, { data: { name: 'cdn' } })).cdnToken.token,
      api: ok(await this.#client.post(`${url}/apiToken`, { data: { name: 'api' } })).apiToken.token,
    }
    const folder = await temporaryFolder()
    await writeFile(join(folder.path, 'a.zip'), zip)
    const source = await openArchive(join(folder.path, 'a.zip'))
    const outgoing = createOutgoingHttp({ allowPrivate: [server] })
    try {
      return await verifyMove(source, { server, space: uid, app: 'blog', tokens, outgoing, ...more })
    } finally {
      source.close()
      await outgoing.close()
      await folder.remove()
    }
  }

  /** Returns models and paths of the unexplained differences. */
  async unexplained(zip: Buffer): Promise<string[]> {
    const { unexplained } = await this.verify(zip)
    return unexplained.map(({ call, difference }) => `${call.model} ${difference.path}`)
  }
}
