import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { IconKey } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { knowsPasskeys, passkeyError } from '#admin/features/shell/passkey-sign-in.ts'
import { PasswordStep } from '#admin/features/shell/password-step.tsx'
import { api } from '#admin/lib/api.ts'
import type { Account } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { Section } from '#admin/ui/section.tsx'
import type { Passkey } from '#shared/contract/second-factor.ts'
import classes from './passkeys.module.css'
import { secondFactorQuery } from './second-factor.queries.ts'

interface PasskeysSectionProps {
  account: Account
  passkeys: Passkey[]
  /** Called with recovery codes if the account had none before. */
  showCodes: (codes: string[]) => void
}

/** Lists the passkeys of the user's own account, with actions to add and delete passkeys. */
export function PasskeysSection({ account, passkeys, showCodes }: PasskeysSectionProps) {
  const t = useTranslations('secondFactor.passkeys')
  const [adding, setAdding] = useState(false)
  const canAdd = knowsPasskeys()
  return (
    <Section title={t('title')} description={t('text')}>
      <Stack gap="md">
        {passkeys.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('none')}
          </Text>
        ) : (
          <ul className={classes.list} aria-label={t('title')}>
            {passkeys.map((passkey) => (
              <PasskeyItem key={passkey._id} account={account} passkey={passkey} />
            ))}
          </ul>
        )}
        {!canAdd && <Text size="sm">{t('unsupported')}</Text>}
        {adding ? (
          <AddPasskey account={account} close={() => setAdding(false)} showCodes={showCodes} />
        ) : (
          <Group>
            <Button variant="default" disabled={!canAdd} onClick={() => setAdding(true)}>
              {t('add')}
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  )
}

function AddPasskey({
  account,
  close,
  showCodes,
}: Omit<PasskeysSectionProps, 'passkeys'> & { close: () => void }) {
  const t = useTranslations('secondFactor.passkeys')
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const params = { id: account._id }
  async function add(password: string): Promise<void> {
    const path = 'POST /api/account/{id}/secondFactor/passkeyOptions'
    const { challengeId, options } = await api(path, { params, body: { password } })
    const { startRegistration } = await import('@simplewebauthn/browser')
    const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
    const made = await startRegistration({ optionsJSON }).catch(passkeyError('create'))
    const { id, response, ...rest } = made
    const { recoveryCodes } = await api('POST /api/account/{id}/secondFactor/passkey', {
      params,
      body: { challengeId, name: name.trim(), response: { ...rest, id, response: { ...response } } },
    })
    toast.success(t('added'))
    if (recoveryCodes) showCodes(recoveryCodes)
    await queryClient.invalidateQueries(secondFactorQuery(account._id))
    close()
  }
  return (
    <Stack gap="md">
      <TextInput
        label={t('name')}
        description={t('nameHint')}
        value={name}
        maxLength={100}
        autoFocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PasswordStep text={t('addText')} action={t('create')} close={close} submit={add} />
    </Stack>
  )
}

function PasskeyItem({ account, passkey }: { account: Account; passkey: Passkey }) {
  const t = useTranslations('secondFactor.passkeys')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const [removing, setRemoving] = useState(false)
  const name = passkey.name || t('unnamed')
  const time = (text: string) => format.dateTime(new Date(text), { dateStyle: 'medium' })
  return (
    <li className={classes.row}>
      <IconKey size={20} stroke={1.5} aria-hidden="true" />
      <div className={classes.about}>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {t('createdAt', { time: time(passkey.createdAt) })}
          {passkey.usedAt && ` · ${t('usedAt', { time: time(passkey.usedAt) })}`}
        </Text>
      </div>
      {removing ? (
        <div className={classes.form}>
          <PasswordStep
            text={t('deleteText', { name })}
            action={t('deleteOf', { name })}
            danger
            close={() => setRemoving(false)}
            submit={async (password) => {
              await api('POST /api/account/{id}/secondFactor/passkey/{passkey}/delete', {
                params: { id: account._id, passkey: passkey._id },
                body: { password },
              })
              toast.success(t('deleted'))
              await queryClient.invalidateQueries(secondFactorQuery(account._id))
            }}
          />
        </div>
      ) : (
        <Button
          variant="default"
          size="compact-md"
          aria-label={t('deleteOf', { name })}
          onClick={() => setRemoving(true)}
        >
          {t('delete')}
        </Button>
      )}
    </li>
  )
}
