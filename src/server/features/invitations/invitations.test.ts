import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appRoles } from '#shared/permissions.ts'
import {
  addMember,
  createAccount,
  createApp,
  createMember,
  createSpace,
  type TestAccount,
  testPassword,
  unique,
} from '#test/factories.ts'
import { mailsOf } from '#test/kept-mails.ts'
import { startMailServer } from '#test/mail-server.ts'
import { sendMails } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { whileHeld } from '#test/while-held.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
})
afterAll(() => installation?.close())

const codeIn = (url: string) => new URL(url).searchParams.get('code') ?? ''
const invite = async (invitation: object, client = admin.client, place = space) =>
  ok(await client.post(`${place.url}/invitation`, { invitation })).invitation
const linkFor = async (invitation: object = {}) => codeIn((await invite(invitation)).url)
const accept = (account: TestAccount, code: string) => account.client.post('/api/invitation/accept', { code })
const look = (code: string) => installation.visitor().post('/api/invitation/look', { code })
const refused = [400, 'InvalidInvitationCode']
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

describe('an invitation', () => {
  it('is invalid if its inviter is removed while it is being accepted', async () => {
    const sender = await createMember(installation, space, 'pjt-Admin')
    const { url } = await invite({}, sender.client)
    const guest = await createAccount(installation)
    const answer = await whileHeld(
      installation,
      ['SELECT FROM space WHERE uid = $1 FOR NO KEY UPDATE', [space.uid]],
      () => accept(guest, codeIn(url)),
      (holder) => holder.query('DELETE FROM space_member WHERE id = $1', [sender.memberId]),
    )
    expect(codeOf(answer)).toEqual(refused)
    expect((await guest.client.get(space.url)).status).toBe(404)
  })

  it('by mail can be accepted once, even by an account with another address', async () => {
    const app = await createApp(admin.client, space)
    const email = `${unique('invited')}@example.com`
    const sent = await invite({ email, app: app.uid, appRoleId: 'app-Author' })
    expect(sent).toMatchObject({
      email,
      roleId: 'pjt-Member',
      appRoleId: 'app-Author',
      useSSO: false,
      url: null,
      uses: 0,
    })
    const [mail] = await mailsOf(installation, email)
    expect(mail?.subject).toBe(`「スペース ${space.uid}」への招待`)
    const code = codeIn(mail?.link ?? '')
    expect(code).toHaveLength(43)
    expect(mail?.link).toContain(`/${space.uid}/invitation?code=`)
    // The list of invitations does not contain the code.
    expect((await admin.client.get(`${space.url}/invitation`)).text).not.toContain(code)
    expect(ok(await look(code)).invitation).toEqual({
      space: { uid: space.uid, name: `スペース ${space.uid}` },
      app: { uid: app.uid, name: `アプリ ${app.uid}` },
      invitedBy: admin.name,
      email,
      roleId: 'pjt-Member',
      roleName: '',
      appRoleId: 'app-Author',
      appRoleName: '',
      bySso: false,
      expiresAt: sent.expiresAt,
    })
    const [newcomer, late] = [await createAccount(installation), await createAccount(installation)]
    const both = await Promise.all([accept(newcomer, code), accept(late, code)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
    const [joined] = both[0].status === 200 ? [newcomer] : [late]
    expect(ok(await joined.client.get(`${app.url}/currentRole`)).currentRole.uid).toBe('app-Author')
    expect(codeOf(await look(code))).toEqual(refused)
    expect(ok(await admin.client.get(`${space.url}/invitation`)).invitations).toEqual([])
  })

  it('hides the email address of an inviter without a name when it is looked up', async () => {
    const nameless = await createAccount(installation, { name: '' })
    const place = await createSpace(nameless.client)
    const { text, body } = await look(codeIn((await invite({}, nameless.client, place)).url))
    expect(body.invitation.invitedBy).toBeNull()
    expect(text).not.toContain(nameless.email)
  })

  it('to an address shows its link only to admins of the installation, if no mail server is set', async () => {
    const app = await createApp(admin.client, space)
    const address = () => `${unique('invited')}@example.com`
    const operator = await createAccount(installation, { isAdmin: true })
    await addMember(installation, space, operator, 'pjt-Admin')
    const byMember = await invite({ email: address() })
    expect(byMember).toMatchObject({ isMailed: false, url: null })
    const toApp = async (client: TestAccount['client']) =>
      ok(await client.post(`${app.url}/members`, { email: address() })).invitation
    expect(await toApp(admin.client)).toMatchObject({ isMailed: false, url: null })
    expect(codeIn((await toApp(operator.client)).url)).toHaveLength(43)
    const email = address()
    const byOperator = await invite({ email }, operator.client)
    expect(byOperator.isMailed).toBe(false)
    expect(ok(await look(codeIn(byOperator.url))).invitation).toMatchObject({ email })
    const [mail] = await mailsOf(installation, email)
    expect(mail?.link).toBe(byOperator.url)
    // An admin of the installation who is signed in by SSO alone gets no link, because a space controls its identity
    // provider.
    const place = await createSpace(operator.client)
    const data = { kind: 'saml', domains: ['example.com'], groupsName: 'groups' }
    ok(await operator.client.put(`${place.url}/sso`, { data }))
    const { rowCount } = await installation.database.pool.query(
      `UPDATE session SET own_means = false, sso_space_id = space.id, sso_connection_id = sso_connection.id, sso_at = now()
       FROM space JOIN sso_connection ON sso_connection.space_id = space.id WHERE space.uid = $1 AND account_id = $2`,
      [place.uid, operator.id],
    )
    expect(rowCount).toBe(1)
    const bySso = await invite({ email: address() }, operator.client, place)
    expect(bySso).toMatchObject({ isMailed: false, url: null })
  })

  it('to an address is mailed if there is a mail server, and the list counts failed mails', async () => {
    const server = await startMailServer()
    const { config } = installation.deps.services
    config.mail.url = server.url
    try {
      const operator = await createAccount(installation, { isAdmin: true })
      const place = await createSpace(operator.client)
      const email = `${unique('invited')}@example.com`
      expect(await invite({ email }, operator.client, place)).toMatchObject({ isMailed: true, url: null })
      await sendMails(installation)
      const [mail] = server.mails.filter(({ to }) => JSON.stringify(to).includes(email))
      expect(mail?.subject).toBe(`「スペース ${place.uid}」への招待`)
      const failed = async () => ok(await operator.client.get(`${place.url}/invitation`)).unsentMails
      expect(await failed()).toBe(0)
      server.refuse(451)
      await invite({ email: `${unique('invited')}@example.com` }, operator.client, place)
      await sendMails(installation).catch(() => undefined)
      expect(await failed()).toBe(1)
      // Mails of other spaces do not count.
      expect(ok(await admin.client.get(`${space.url}/invitation`)).unsentMails).toBe(0)
    } finally {
      config.mail.url = undefined
      await server.close()
    }
  })

  it('by mail names the app and both roles, in the language of the inviter', async () => {
    const sender = await createMember(installation, space, 'pjt-Admin')
    const data = { language: 'en' }
    ok(await sender.client.put(`/api/account/${sender.id}`, { data }))
    const app = await createApp(sender.client, space)
    const role = { name: '校正 evil.example', rights: ['document.read'], models: {} }
    const made = ok(await sender.client.post(`${app.url}/role`, { data: role })).role.uid
    const mailTo = async (invitation: object, client = sender.client) => {
      const email = `${unique('invited')}@example.com`
      await invite({ ...invitation, email }, client)
      return (await mailsOf(installation, email))[0]?.text
    }
    const custom = await mailTo({ app: app.uid, appRoleId: made })
    expect(custom).toContain(`the app “アプリ ${app.uid}” in the space`)
    expect(custom).toContain('Your role in the space: Member')
    expect(custom).toContain(`Your role in the app “アプリ ${app.uid}”: 校正 evil.\u2060example`)
    const japanese = await mailTo({ roleId: 'pjt-Admin' }, admin.client)
    expect(japanese).toContain('スペースでのロール：管理者')
    expect(japanese).not.toContain('Appで')
  })

  it('by link can be accepted as often as its maximum number of uses', async () => {
    const code = await linkFor({ maximumUses: 2 })
    const people = await Promise.all([1, 2, 3].map(() => createAccount(installation)))
    const answers = await Promise.all(people.map((person) => accept(person, code)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400])
    const open = await linkFor()
    const { invitations } = ok(await admin.client.get(`${space.url}/invitation`))
    expect(invitations[0].maximumUses).toBe(10)
    for (const person of people) await accept(person, open)
    for (const person of people) ok(await person.client.get(space.url))
    expect(codeOf(await accept(people[0] as TestAccount, open))).toEqual([409, 'InvitedAccountAlreadyExists'])
  })

  it('by link cannot be accepted again by a removed member until it is renewed', async () => {
    const { invitation: link } = ok(await admin.client.post(`${space.url}/invitation`, { invitation: {} }))
    const code = codeIn(link.url)
    const guest = await createAccount(installation)
    const takeOut = async () => {
      const { members } = ok(await admin.client.get(`${space.url}/members?limit=1000`))
      const { _id } = members.find(({ accountId }: { accountId: string }) => accountId === guest.id)
      ok(await admin.client.delete(`${space.url}/member/${_id}`))
    }
    ok(await accept(guest, code))
    await takeOut()
    expect(codeOf(await accept(guest, code))).toEqual(refused)
    expect((await guest.client.get(space.url)).status).toBe(404)
    // Another account with the same email address, created with the code, cannot accept it either.
    const { email } = guest
    ok(await guest.client.post(`/api/account/${guest.id}/delete`, { password: testPassword }))
    const again = { email, password: testPassword, invitationCode: code }
    expect(codeOf(await installation.visitor().post('/api/auth/signup', again))).toEqual(refused)
    // Another account can accept the invitation and, after a removal, the renewed link.
    const other = await createAccount(installation)
    ok(await accept(other, code))
    const { members } = ok(await admin.client.get(`${space.url}/members?limit=1000`))
    const { _id } = members.find(({ accountId }: { accountId: string }) => accountId === other.id)
    ok(await admin.client.delete(`${space.url}/member/${_id}`))
    const renewed = ok(await admin.client.post(`${space.url}/invitation/${link._id}/resend`)).invitation
    ok(await accept(other, codeIn(renewed.url)))
  })

  it('that was not renewed lets a removed member rejoin only if it was created after the removal', async () => {
    const [link, person] = [await linkFor(), await createAccount(installation)]
    await invite({ email: person.email })
    const [mail] = await mailsOf(installation, person.email)
    const memberId = await addMember(installation, space, person)
    ok(await admin.client.delete(`${space.url}/member/${memberId}`))
    for (const code of [link, codeIn(mail?.link ?? '')])
      expect(codeOf(await accept(person, code))).toEqual(refused)
    expect((await person.client.get(space.url)).status).toBe(404)
    // A new account with the same email address counts as the same person.
    ok(await person.client.post(`/api/account/${person.id}/delete`, { password: testPassword }))
    const again = { email: person.email, password: testPassword, invitationCode: link }
    expect(codeOf(await installation.visitor().post('/api/auth/signup', again))).toEqual(refused)
    const invitationCode = await linkFor()
    ok(await installation.visitor().post('/api/auth/signup', { ...again, invitationCode }))
  })

  it('by link into an app cannot be used to rejoin the app after a removal', async () => {
    const app = await createApp(admin.client, space)
    ok(
      await admin.client.patch(app.url, {
        accessSettings: { visibility: 'private', defaultRole: 'app-Subscriber' },
      }),
    )
    const code = await linkFor({ app: app.uid, appRoleId: 'app-Editor' })
    const member = await createMember(installation, space)
    ok(await accept(member, code))
    ok(await admin.client.delete(`${app.url}/member/${member.memberId}`))
    expect(codeOf(await accept(member, code))).toEqual(refused)
    expect((await member.client.get(app.url)).status).toBe(404)
  })

  it('lets a visitor sign up and join, and verifies the address that the code was mailed to', async () => {
    const visitor = installation.visitor()
    const signUp = (invitationCode: string, email = `${unique('new')}@example.com`, client = visitor) =>
      client.post('/api/auth/signup', {
        email,
        password: 'a newt under the wet leaves',
        invitationCode,
      })
    for (const code of ['nothing', 'x'.repeat(43), '']) expect(codeOf(await signUp(code))).toEqual(refused)
    const linked = ok(await signUp(await linkFor()))
    expect([linked.account.emailVerified, linked.joined]).toEqual([
      false,
      { project: { uid: space.uid }, app: null },
    ])
    ok(await visitor.get(space.url))
    const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog?limit=5`))
    expect(auditLogs[0]).toMatchObject({ act: 'member.joinSpace', actor: { _id: linked.account._id } })
    const mailed = async (email: string) => {
      await invite({ email })
      return codeIn((await mailsOf(installation, email))[0]?.link ?? '')
    }
    const email = `${unique('mailed')}@example.com`
    const invited = installation.visitor()
    const { account } = ok(await signUp(await mailed(email), email.toUpperCase(), invited))
    expect(account.emailVerified).toBe(true)
    ok(await invited.get(space.url))
    // No verification mail follows; accepting with another email address verifies nothing.
    expect((await mailsOf(installation, email)).map(({ subject }) => subject)).toHaveLength(1)
    const other = ok(
      await signUp(await mailed(`${unique('mailed')}@example.com`), undefined, installation.visitor()),
    )
    expect(other.account.emailVerified).toBe(false)
    const known = await createAccount(installation)
    ok(await accept(known, await mailed(known.email)))
    const now = ok(await known.client.get('/api/auth/getCurrentAccount'))
    expect(now.currentAccount.emailVerified).toBe(true)
  })

  it('loses its former code on renewal, and ends when it is revoked or expires', async () => {
    const stranger = await createAccount(installation)
    const invitation = await invite({})
    const renewed = ok(await admin.client.post(`${space.url}/invitation/${invitation._id}/resend`)).invitation
    expect(codeOf(await accept(stranger, codeIn(invitation.url)))).toEqual(refused)
    ok(await look(codeIn(renewed.url)))
    ok(await admin.client.delete(`${space.url}/invitation/${invitation._id}`))
    expect(codeOf(await accept(stranger, codeIn(renewed.url)))).toEqual(refused)
    expect((await admin.client.delete(`${space.url}/invitation/${invitation._id}`)).status).toBe(404)

    const db = installation.database.kysely
    const late = await invite({})
    const past = { expires_at: new Date(Date.now() - 1000) }
    await db.updateTable('invitation').set(past).where('id', '=', late._id).execute()
    expect(codeOf(await accept(stranger, codeIn(late.url)))).toEqual(refused)
    expect(codeOf(await look(codeIn(late.url)))).toEqual(refused)
    // An invitation is not mailed twice within a minute. An earlier invitation to the same email address ends.
    const email = `${unique('invited')}@example.com`
    const first = await invite({ email })
    expect((await admin.client.post(`${space.url}/invitation/${first._id}/resend`)).status).toBe(429)
    const second = await invite({ email: email.toUpperCase() })
    const listed = ok(await admin.client.get(`${space.url}/invitation`)).invitations
    const ids = listed.map((row: { _id: string }) => row._id)
    expect([ids.includes(first._id), ids.includes(second._id)]).toEqual([false, true])
  })

  it('cannot be accepted if its inviter may no longer assign the role', async () => {
    const stranger = await createAccount(installation)
    const colleague = await createMember(installation, space, 'pjt-Admin')
    const codeFrom = async (roleId: string) => codeIn((await invite({ roleId }, colleague.client)).url)
    const [asAdmin, asMember] = [await codeFrom('pjt-Admin'), await codeFrom('pjt-Member')]
    const give = (roleId: string) => admin.client.put(`${space.url}/member/${colleague.memberId}`, { roleId })
    const { role } = ok(
      await admin.client.post(`${space.url}/role`, {
        data: {
          name: unique('係'),
          rights: ['space.view', 'asset.read', 'asset.write.own', 'member.manage'],
        },
      }),
    )
    ok(await give(role.uid))
    expect(codeOf(await accept(stranger, asAdmin))).toEqual(refused)
    ok(await give('pjt-Member'))
    expect(codeOf(await accept(stranger, asMember))).toEqual(refused)
    ok(await admin.client.delete(`${space.url}/member/${colleague.memberId}`))
    expect(codeOf(await accept(stranger, asMember))).toEqual(refused)
    expect((await stranger.client.get(space.url)).status).toBe(404)
  })

  it('is rejected for an existing member, and with the path of an invalid value', async () => {
    const colleague = await createMember(installation, space)
    const post = (invitation: object, client = admin.client) =>
      client.post(`${space.url}/invitation`, { invitation })
    expect(codeOf(await post({ email: ` ${colleague.email.toUpperCase()}` }))).toEqual([
      409,
      'InvitedAccountAlreadyExists',
    ])
    const other = await createSpace(admin.client)
    const foreign = await createApp(admin.client, other)
    for (const [invitation, path] of [
      [{ email: 'no address' }, 'invitation.email'],
      [{ email: 'a@b.example\r\nBcc: c@d.example' }, 'invitation.email'],
      [{ email: 'аdmin@example.com‮' }, 'invitation.email'],
      [{ roleId: 'app-Admin' }, 'invitation.roleId'],
      [{ roleId: 'nothing' }, 'invitation.roleId'],
      [{ app: foreign.uid }, 'invitation.app'],
      [{ app: 'nothing' }, 'invitation.app'],
      [{ maximumUses: 0 }, 'invitation.maximumUses'],
    ] as const) {
      const answer = await post(invitation)
      expect([answer.status, answer.body.issues[0].path]).toEqual([400, path])
    }
    expect((await post({}, colleague.client)).status).toBe(403)
    for (const code of ['', 'x', '%00', '\u0000', 'あ'.repeat(200)])
      expect([400]).toContain((await accept(colleague, code)).status)
  })

  it('becomes invalid when its app is deleted', async () => {
    const app = await createApp(admin.client, space)
    const code = await linkFor({ app: app.uid })
    ok(await admin.client.delete(app.url))
    expect(codeOf(await accept(await createAccount(installation), code))).toEqual(refused)
  })
})

describe('users', () => {
  it('are added to an app directly if they are in the space, and invited otherwise', async () => {
    const app = await createApp(admin.client, space)
    const join = { ...app, admin: admin.client }
    const lead = await createMember(installation, space, 'pjt-Member', { ...join, role: 'app-Admin' })
    const colleague = await createMember(installation, space)
    const add = (body: object) => lead.client.post(`${app.url}/members`, body)
    const added = ok(
      await add({
        memberId: colleague.memberId,
        roleId: 'pjt-Member',
        appRoleId: 'app-Author',
        useSSO: false,
      }),
    )
    expect(added).toMatchObject({
      member: { _id: colleague.memberId, roleId: 'app-Author' },
      invitation: null,
    })
    expect(codeOf(await add({ memberId: colleague.memberId }))).toEqual([409, 'InvitedAccountAlreadyExists'])

    // An account that is not in the space is treated like an unknown address.
    const stranger = await createAccount(installation)
    const invited = ok(await add({ email: stranger.email, roleId: 'app-Editor' }))
    expect(invited).toMatchObject({
      member: null,
      invitation: {
        email: stranger.email,
        roleId: 'pjt-Member',
        appRoleId: 'app-Editor',
        app: { uid: app.uid },
      },
    })
    expect(
      codeOf(await add({ email: 'b@example.com', roleId: 'pjt-Admin', appRoleId: 'app-Editor' })),
    ).toEqual([400, 'InvalidRoleChange'])
    const [mail] = await mailsOf(installation, stranger.email)
    ok(await accept(stranger, codeIn(mail?.link ?? '')))
    expect(ok(await stranger.client.get(`${app.url}/currentRole`)).currentRole.uid).toBe('app-Editor')

    // The app's admin manages invitations to the app, and no others.
    const own = ok(await add({ email: `${unique('x')}@example.com` })).invitation
    const elsewhere = await invite({ email: `${unique('y')}@example.com` })
    const listed = ok(await lead.client.get(`${app.url}/invitation`)).invitations
    expect(listed.map((row: { _id: string }) => row._id)).toEqual([own._id])
    expect((await lead.client.delete(`${app.url}/invitation/${elsewhere._id}`)).status).toBe(404)
    ok(await lead.client.delete(`${app.url}/invitation/${own._id}`))
    ok(await lead.client.delete(`${app.url}/member/${colleague.memberId}`))
    expect((await colleague.client.get(`${app.url}/members`)).status).toBe(403)
    expect((await lead.client.delete(`${app.url}/member/${colleague.memberId}`)).status).toBe(404)
  })

  it("get no space role beyond the inviter's rights in the space", async () => {
    const app = await createApp(admin.client, space)
    const makeRole = async (rights: string[]) =>
      ok(await admin.client.post(`${space.url}/role`, { data: { name: unique('役'), rights } })).role.uid
    // The app's admin has all rights of this role, but only in this app.
    const everyApp = await makeRole(['space.view', ...appRoles['app-Admin']])
    const join = { ...app, admin: admin.client, role: 'app-Admin' }
    const lead = await createMember(installation, space, 'pjt-Member', join)
    const add = (roleId: string) =>
      lead.client.post(`${app.url}/members`, {
        email: `${unique('new')}@example.com`,
        roleId,
        appRoleId: 'app-Subscriber',
      })
    expect(codeOf(await add(everyApp))).toEqual([400, 'InvalidRoleChange'])

    // The sender may assign the role. After resending, the app's admin would be the inviter.
    const email = `${unique('new')}@example.com`
    const sent = await invite({ email, roleId: everyApp, app: app.uid, appRoleId: 'app-Subscriber' })
    const db = installation.database.kysely
    const earlier = { sent_at: new Date(Date.now() - 3_600_000) }
    await db.updateTable('invitation').set(earlier).where('id', '=', sent._id).execute()
    const resent = await lead.client.post(`${app.url}/invitation/${sent._id}/resend`)
    expect(codeOf(resent)).toEqual([400, 'InvalidRoleChange'])

    // When the invitation is accepted, its sender is an admin of the app, but no longer of the space.
    const sender = await createMember(installation, space, 'pjt-Admin')
    const { url } = await invite({ roleId: everyApp, app: app.uid }, sender.client)
    ok(await sender.client.post(`${app.url}/members/join`))
    ok(await admin.client.patch(`${app.url}/member/${sender.memberId}`, { roleId: 'app-Admin' }))
    const keeper = await makeRole(['space.view', 'member.manage'])
    ok(await admin.client.put(`${space.url}/member/${sender.memberId}`, { roleId: keeper }))
    const guest = await createAccount(installation)
    expect(codeOf(await accept(guest, codeIn(url)))).toEqual(refused)
  })

  it('cannot get a role from an admin who is demoted while the role change waits', async () => {
    const demoted = await createMember(installation, space, 'pjt-Admin')
    const { role } = ok(
      await admin.client.post(`${space.url}/role`, {
        data: { name: unique('役'), rights: ['space.view', 'member.manage'] },
      }),
    )
    const colleague = await createMember(installation, space)
    const answer = await whileHeld(
      installation,
      ['SELECT FROM space WHERE uid = $1 FOR NO KEY UPDATE', [space.uid]],
      () => demoted.client.put(`${space.url}/member/${colleague.memberId}`, { roleId: 'pjt-Admin' }),
      (holder) =>
        holder.query('UPDATE space_member SET role = $1 WHERE id = $2', [role.uid, demoted.memberId]),
    )
    expect(codeOf(answer)).toEqual([400, 'InvalidRoleChange'])
  })

  it('can request access to a private app without learning whether it exists', async () => {
    const app = await createApp(admin.client, space)
    ok(
      await admin.client.patch(app.url, {
        accessSettings: { visibility: 'private', defaultRole: 'app-Editor' },
      }),
    )
    const [asker, other] = [await createMember(installation, space), await createMember(installation, space)]
    const ask = (who: TestAccount, uid: string, message = '') =>
      who.client.post(`${space.url}/accessRequest`, { app: uid, message })
    const [known, unknown] = [await ask(asker, app.uid, '原稿を書きます'), await ask(asker, 'nothing')]
    expect([known.status, known.text]).toEqual([200, unknown.text])
    ok(await ask(other, app.uid))
    const waiting = async () => ok(await admin.client.get(`${app.url}/accessRequest`)).accessRequests
    expect(await waiting()).toMatchObject([
      { _id: asker.memberId, message: '原稿を書きます' },
      { _id: other.memberId },
    ])
    // Each request sends one mail to the app's managers.
    const mails = (await mailsOf(installation, admin.email)).filter(({ subject }) =>
      subject.includes('参加を希望しています'),
    )
    expect(mails).toHaveLength(2)
    const answer = (id: string, how: string, body?: object) =>
      admin.client.post(`${app.url}/accessRequest/${id}/${how}`, body)
    expect(codeOf(await answer(asker.memberId, 'accept', { roleId: 'pjt-Admin' }))).toEqual([
      400,
      'ValidationFailed',
    ])
    ok(await answer(asker.memberId, 'accept', { roleId: 'app-Subscriber' }))
    ok(await answer(other.memberId, 'decline'))
    ok(await asker.client.get(`${app.url}/model`))
    // A repeated request changes nothing. Neither does a request for an app that the member is in, could join or sees.
    ok(await ask(other, app.uid))
    ok(await ask(await createMember(installation, space, 'pjt-Admin'), app.uid))
    ok(await ask(asker, app.uid))
    expect(await waiting()).toEqual([])
    expect((await answer(asker.memberId, 'accept', { roleId: 'app-Admin' })).status).toBe(404)
  })
})
