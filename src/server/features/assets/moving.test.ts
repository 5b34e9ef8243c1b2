import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cleanUpExternalStoragesJob } from '#server/features/external-storage/external-storage.jobs.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { insertForm } from '#test/forms.ts'
import { root } from '#test/process.ts'
import { runNow, runQueued } from '#test/run-now.ts'
import { refuse, type S3Server, startS3Server } from '#test/s3-server/server.ts'
import { formOf, ok, startInstallation, type TestInstallation, testSecrets } from '#test/server.ts'
import { hashOf, keysBelow, put, readAll } from '#test/storage-suite.ts'
import { cleanUpAssetsJob } from './assets.jobs.ts'
import { moveFilesJob } from './moving.service.ts'

let bucket: S3Server
let installation: TestInstallation
let owner: TestAccount
let space: { uid: string; url: string }
let spaceId: number
beforeAll(async () => {
  bucket = await startS3Server()
  installation = await startInstallation({ IMORI_PRIVATE_STORAGES: bucket.location.endpoint })
  owner = await createAccount(installation)
})
beforeEach(async () => {
  bucket.intercept = null
  bucket.objects.clear()
  space = await createSpace(owner.client)
  const db = installation.database.kysely
  const row = await db.selectFrom('space').select('id').where('uid', '=', space.uid).executeTakeFirstOrThrow()
  spaceId = row.id
})
afterAll(async () => {
  await installation?.close()
  await bucket?.close()
})

/** Uploads a file, by default with random content. Returns its `_id` and hash. */
async function upload(content = randomBytes(2_000).toString('hex')): Promise<{ id: string; hash: string }> {
  const [result] = ok(
    await owner.client.post(
      `${space.url}/assets`,
      formOf({ name: 'a.txt', type: 'text/plain', bytes: content }),
    ),
  ).results
  expect(result).toMatchObject({ success: true })
  return { id: result.asset._id, hash: hashOf(Buffer.from(content)) }
}

const uploads = async (count: number) => {
  const files = []
  for (let n = 0; n < count; n++) files.push(await upload())
  return files
}

const blob = async (id: string) => (await owner.client.get(`${space.url}/assets/${id}/getBlob`)).text
const expectWhole = async (files: { id: string; hash: string }[]) => {
  for (const { id, hash } of files) expect(hashOf(Buffer.from(await blob(id)))).toBe(hash)
}
const access = () => ({ data: { ...bucket.location, ...bucket.credentials } })
const save = async () => ok(await owner.client.put(`${space.url}/externalStorage`, access()))
const state = async () => ok(await owner.client.get(`${space.url}/externalStorage`))
const assetRows = () =>
  installation.database.kysely.selectFrom('asset').selectAll().where('space_id', '=', spaceId).execute()
const present = () =>
  installation.database.kysely
    .selectFrom('external_storage')
    .selectAll()
    .where('space_id', '=', spaceId)
    .where('left_at', 'is', null)
    .executeTakeFirst()
/** Simulates the passing of `days` days. */
async function age(days: number): Promise<void> {
  const { pool } = installation.database
  await pool.query(`UPDATE asset_blob SET touched_at = touched_at - make_interval(days => $1)`, [days])
  await pool.query(`UPDATE external_storage SET left_at = left_at - make_interval(days => $1)`, [days])
}

describe('moving a space’s files', () => {
  it('moves all files to the bucket and back, including the trash and replaced files', async () => {
    const files = await uploads(5)
    const twin = await upload('the same')
    const same = await upload('the same')
    const trashed = await upload()
    ok(await owner.client.delete(`${space.url}/asset/${trashed.id}`))
    const replaced = await upload('before')
    ok(
      await owner.client.put(
        `${space.url}/assets/${replaced.id}:refresh`,
        formOf({ name: 'a.txt', type: 'text/plain', bytes: 'after' }),
      ),
    )
    const before = await state()
    expect(before).toMatchObject({ files: { total: 9, elsewhere: 0 } })

    const { jobId, files: counted } = await save()
    expect(counted).toEqual({ total: 9, elsewhere: 9 })
    // Files are still readable from the old storage. New files are stored in the bucket.
    await expectWhole(files)
    const late = await upload()
    expect(bucket.objects.size).toBe(1)

    const job = await runQueued(installation, moveFilesJob, jobId)
    expect([job.state, job.done, job.total, job.requested_by]).toEqual(['done', 9, 9, owner.id])
    expect(await state()).toMatchObject({ files: { total: 10, elsewhere: 0 } })
    const id = (await present())?.id
    for (const row of await assetRows()) {
      expect(row.storage).toBe(id)
      expect(row.previous_storage ?? id).toBe(id)
    }
    expect([...bucket.objects.keys()].every((key) => key.startsWith(`imori-${id}/${spaceId}/`))).toBe(true)
    expect([...bucket.objects.values()].map(({ bytes }) => hashOf(bytes)).sort()).toEqual(
      [...bucket.objects.keys()].map((key) => key.split('/').at(-1)).sort(),
    )
    await expectWhole([...files, twin, same, late])
    expect(await blob(replaced.id)).toBe('after')

    // The old contents are kept for a day.
    const { local } = installation.deps.services.storages
    await runNow(installation, cleanUpAssetsJob)
    expect(await keysBelow(local, `${spaceId}/`)).toHaveLength(9)
    await age(2)
    await runNow(installation, cleanUpAssetsJob)
    expect(await keysBelow(local, `${spaceId}/`)).toEqual([])
    await expectWhole([...files, twin, same, late])

    const left = ok(await owner.client.delete(`${space.url}/externalStorage`))
    expect(left).toMatchObject({ externalStorage: null, files: { total: 10, elsewhere: 10 } })
    await runQueued(installation, moveFilesJob, left.jobId)
    expect(await keysBelow(local, `${spaceId}/`)).toHaveLength(10)
    await expectWhole([...files, twin, same, late])
    ok(await owner.client.post(`${space.url}/assets/bulkRestore`, { assetIds: [trashed.id] }))
    await expectWhole([trashed])
  })

  it('moves files of submissions of forms to the bucket and back', async () => {
    const { kysely } = installation.database
    const { formId } = await insertForm(kysely, spaceId)
    const body = new FormData()
    body.append('添付', new Blob(['of a visitor'], { type: 'text/plain' }), 'a.txt')
    ok(await installation.visitor().post(`/${space.uid}.form/v1/${formId}`, body))
    const read = async () => {
      const file = await kysely
        .selectFrom('form_file')
        .selectAll()
        .where('space_id', '=', spaceId)
        .executeTakeFirstOrThrow()
      const driver = await installation.deps.services.storages.of({
        space_id: spaceId,
        storage: file.storage,
      })
      return [file.storage, (await readAll(driver, file.storage_key)).toString()]
    }
    const moved = await save()
    expect(moved.files).toEqual({ total: 1, elsewhere: 1 })
    await runQueued(installation, moveFilesJob, moved.jobId)
    await age(2)
    await runNow(installation, cleanUpAssetsJob)
    expect(await read()).toEqual([(await present())?.id, 'of a visitor'])
    const left = ok(await owner.client.delete(`${space.url}/externalStorage`))
    await runQueued(installation, moveFilesJob, left.jobId)
    await age(2)
    await runNow(installation, cleanUpAssetsJob)
    expect(await read()).toEqual(['local', 'of a visitor'])
  })

  it('records the error of the storage, and moves the remaining files on the next run', {
    tags: ['full'],
  }, async () => {
    const files = await uploads(6)
    const { jobId } = await save()
    let puts = 0
    bucket.intercept = (request, response) => {
      if (request.method !== 'PUT' || ++puts < 3) return false
      refuse(request, response, { status: 403, code: 'AccessDenied' })
      return true
    }
    const failed = await runQueued(installation, moveFilesJob, jobId)
    expect([failed.state, failed.failures, failed.error]).toMatchObject([
      'waiting',
      1,
      { code: 'StorageRefused' },
    ])
    await expectWhole(files)
    bucket.intercept = null
    const again = await runQueued(installation, moveFilesJob, jobId)
    expect(again.state).toBe('done')
    expect((await state()).files).toEqual({ total: 6, elsewhere: 0 })
    await expectWhole(files)
  })

  it('moves intact files and then fails if other files are missing or damaged', async () => {
    const files = await uploads(4)
    const [gone, damaged, ...rest] = await assetRows()
    if (!gone || !damaged) throw new Error('there are four')
    const { local } = installation.deps.services.storages
    await local.delete(gone.storage_key)
    const wrong = Buffer.alloc(damaged.size, 'x')
    await local.write(damaged.storage_key, () => [wrong] as never, { type: 'text/plain', size: damaged.size })
    const { jobId } = await save()
    const job = await runQueued(installation, moveFilesJob, jobId)
    expect([job.state, job.error?.code]).toEqual(['failed', 'FilesCouldNotBeMoved'])
    const moved = new Set(rest.map((row) => row.id))
    await expectWhole(files.filter(({ id }) => moved.has(id)))
    for (const row of await assetRows())
      expect([row.id, row.storage === 'local']).toEqual([row.id, !moved.has(row.id)])
    const wrongKeys = [...bucket.objects.entries()].filter(
      ([key, { bytes }]) => hashOf(bytes) !== key.split('/').at(-1),
    )
    expect(wrongKeys).toEqual([])
  })

  it('allows uploads, replacements and deletions during the job', { tags: ['full'] }, async () => {
    const files = await uploads(6)
    const [first, second, third] = files
    const { jobId } = await save()
    const meanwhile: Promise<unknown>[] = []
    let late: { id: string; hash: string } | undefined
    bucket.intercept = async (request) => {
      // Runs the work once, during the copy of the first content.
      if (request.method !== 'PUT' || meanwhile.length > 0) return false
      const work = async () => {
        late = await upload()
        ok(await owner.client.delete(`${space.url}/asset/${first?.id}`))
        ok(
          await owner.client.put(
            `${space.url}/assets/${second?.id}:refresh`,
            formOf({ name: 'b.txt', type: 'text/plain', bytes: 'replaced meanwhile' }),
          ),
        )
        await installation.database.kysely
          .deleteFrom('asset')
          .where('space_id', '=', spaceId)
          .where('id', '=', third?.id ?? '')
          .execute()
      }
      meanwhile.push(work())
      await Promise.all(meanwhile)
      return false
    }
    const job = await runQueued(installation, moveFilesJob, jobId)
    expect(job.state).toBe('done')
    expect((await state()).files.elsewhere).toBe(0)
    expect(await blob(second?.id ?? '')).toBe('replaced meanwhile')
    if (!late) throw new Error('nothing was copied')
    await expectWhole([...files.slice(3), late])
  })

  it('moves a late upload out of the former bucket, and then deletes the record of the bucket', async () => {
    await save()
    const file = await upload()
    const row = await present()
    const id = row?.id ?? ''
    ok(await owner.client.delete(`${space.url}/externalStorage`))
    // Simulates an upload that began before the move and finished after it.
    await installation.database.kysely.deleteFrom('job').where('space_id', '=', spaceId).execute()
    bucket.objects.set(`imori-${id}/${spaceId}/uploads/unfinished`, {
      bytes: Buffer.from('x'),
      type: 'x/y',
      modifiedAt: new Date(),
    })
    bucket.objects.set('elsewhere', { bytes: Buffer.from('x'), type: 'x/y', modifiedAt: new Date() })
    await age(2)
    await runNow(installation, cleanUpExternalStoragesJob)
    const { jobId } = await state()
    expect((await runQueued(installation, moveFilesJob, jobId)).state).toBe('done')
    await expectWhole([file])
    const known = () =>
      installation.database.kysely.selectFrom('external_storage').select('id').where('id', '=', id).execute()
    // The bucket is still in use by a content that has not been swept yet.
    await runNow(installation, cleanUpExternalStoragesJob)
    expect(await known()).toHaveLength(1)
    await age(2)
    await runNow(installation, cleanUpAssetsJob)
    await runNow(installation, cleanUpExternalStoragesJob)
    expect(await known()).toEqual([])
    expect([...bucket.objects.keys()]).toEqual(['elsewhere'])
    await expectWhole([file])
  })

  it('keeps the record of a bucket in use, even if it refuses access for 40 days', async () => {
    await save()
    await upload()
    const id = (await present())?.id ?? ''
    ok(await owner.client.delete(`${space.url}/externalStorage`))
    bucket.intercept = (request, response) => {
      refuse(request, response, { status: 403, code: 'AccessDenied' })
      return true
    }
    await age(40)
    await runNow(installation, cleanUpExternalStoragesJob)
    const driver = await installation.deps.services.storages.of({ space_id: spaceId, storage: id })
    bucket.intercept = null
    const [row] = await assetRows()
    expect(await readAll(driver, row?.storage_key ?? '')).toHaveLength(4_000)
  })

  it('continues after kill -9, copies at most seven files twice and loses none', {
    tags: ['full'],
  }, async () => {
    const files = await uploads(24)
    const { jobId } = await save()
    let puts = 0
    let onPut: () => void = () => {}
    bucket.intercept = (request) => {
      if (request.method === 'PUT') {
        puts++
        onPut()
      }
      return false
    }
    const env = {
      ...process.env,
      IMORI_DATA: installation.deps.services.config.dataDir,
      IMORI_SESSION_KEY: testSecrets.sessionKey,
      IMORI_ENCRYPTION_KEYS: testSecrets.encryptionKeys.join(),
      IMORI_PRIVATE_STORAGES: bucket.location.endpoint,
    }
    const args = ['--import', 'tsx', 'test/moving-worker.ts', JSON.stringify(installation.connection)]
    const jobState = async () => {
      const jobs = installation.database.kysely.selectFrom('job').select('state')
      return (await jobs.where('id', '=', jobId).executeTakeFirstOrThrow()).state
    }
    // The first run is killed during the seventh content that it copies, the second one finishes.
    for (const kill of [true, false]) {
      const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
      const exit = once(child, 'exit')
      const last = puts + 7
      onPut = () => void (kill && puts >= last && child.kill('SIGKILL'))
      try {
        if (kill) await exit
        else await expect.poll(jobState).toBe('done')
      } finally {
        child.kill('SIGKILL')
        await exit
      }
    }
    expect((await state()).files).toEqual({ total: 24, elsewhere: 0 })
    expect(puts).toBeLessThan(24 + 8)
    await expectWhole(files)
    for (const [key, { bytes }] of bucket.objects) expect(hashOf(bytes)).toBe(key.split('/').at(-1))
  })
})

it('an operator’s bucket receives new files, and a job moves earlier files to it', async () => {
  const { location, credentials } = bucket
  const other = await startInstallation({
    IMORI_S3_ENDPOINT: location.endpoint,
    IMORI_S3_REGION: location.region,
    IMORI_S3_BUCKET: location.bucket,
    IMORI_S3_PREFIX: 'operator',
    IMORI_S3_ACCESS_KEY_ID: credentials.accessKeyId,
    IMORI_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  })
  try {
    const { client } = await createAccount(other)
    const place = await createSpace(client)
    const form = formOf({ name: 'a.txt', type: 'text/plain', bytes: 'いもり' })
    const [{ asset }] = ok(await client.post(`${place.url}/assets`, form)).results
    const contents = () => [...bucket.objects.entries()].map(([key, { bytes }]) => [key, bytes.toString()])
    expect(contents()).toEqual([
      [expect.stringMatching(/^operator\/\d+\/[0-9a-f]{2}\/[0-9a-f]{64}$/), 'いもり'],
    ])

    // Simulates a file that was uploaded before the operator configured a bucket.
    const db = other.database.kysely
    const { storage_key } = await db.selectFrom('asset').select('storage_key').executeTakeFirstOrThrow()
    const bytes = Buffer.from('いもり')
    await put(other.deps.services.storages.local, storage_key, bytes)
    await db.updateTable('asset').set({ storage: 'local' }).execute()
    await db.updateTable('asset_blob').set({ storage: 'local' }).execute()
    bucket.objects.clear()
    const read = async () => (await client.get(`${place.url}/assets/${asset._id}/getBlob`)).text
    expect(await read()).toBe('いもり')
    expect(await runNow(other, cleanUpExternalStoragesJob)).toBe('done')
    const { jobId } = ok(await client.get(`${place.url}/externalStorage`))
    expect((await runQueued(other, moveFilesJob, jobId)).state).toBe('done')
    expect(contents()).toHaveLength(1)
    await other.deps.services.storages.local.delete(storage_key)
    expect(await read()).toBe('いもり')
  } finally {
    await other.close()
  }
})
