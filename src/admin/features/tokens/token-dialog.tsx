import { Button, Checkbox, Group, Radio, Stack, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { issueText } from '#admin/lib/errors.ts'
import { modals } from '#admin/lib/modals.ts'
import { appsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { useForm } from '#admin/lib/use-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { writingTokenRights } from '#shared/permissions.ts'
import { type AnyToken, type IssuedToken, type TokenKind, tokenCalls, tokensQuery } from './tokens.queries.ts'

interface TokenDialogOptions {
  p: string
  kind: TokenKind
  /** The token to edit. Omitted to create one. */
  token?: AnyToken
  title: string
  onIssued: (token: IssuedToken) => void
}

/** Opens the dialog for a token's name, permissions, apps and expiry. */
export function openTokenDialog(options: TokenDialogOptions): void {
  const id = modals.open({
    title: options.title,
    children: <TokenForm {...options} close={() => modals.close(id)} />,
  })
}

/** Returns the day of a timestamp in the browser's time zone, for a date input. */
function dayOf(moment: string | null): string {
  if (moment === null) return ''
  const at = new Date(moment)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/**
 * Returns the last millisecond of a day in the browser's time zone. For an empty string, returns a time in the past.
 */
function endOf(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return day ? new Date(year, month - 1, date, 23, 59, 59, 999) : new Date(0)
}

/** The inputs that issues of the endpoints concern. */
const fields = ['name', 'writes', 'apps', 'expiresAt'] as const

function TokenForm({ p, kind, token, onIssued, close }: TokenDialogOptions & { close: () => void }) {
  const t = useTranslations('tokens')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const apps = useQuery(appsQuery(p)).data ?? []
  const can = useCanInSpace(p)
  const mayUpload = writingTokenRights.space.every(can)
  // A token must not do more than its creator. A token that is valid for every app may keep that scope.
  const mayAllWith = (writes: boolean) =>
    can(writes ? 'document.write.any' : 'document.read') ||
    (token?.apps === null && (token.writes === true || !writes))
  const { values, set, field, errorOf, problem, saving, formProps } = useForm({
    values: {
      name: token?.name ?? '',
      writes: token?.writes ?? false,
      scope: token?.apps || !mayAllWith(token?.writes ?? false) ? 'some' : 'all',
      apps: (token?.apps ?? []) as string[],
      expires: token?.expiresAt ? 'on' : 'never',
      expiresAt: dayOf(token?.expiresAt ?? null),
    },
    check: ({ name, scope, apps: chosen, expires, expiresAt }) => ({
      name: name.trim() ? null : issueText({ code: 'Required' }),
      apps: scope === 'some' && chosen.length === 0 ? t('scope.chooseOne') : null,
      expiresAt: expires === 'on' && !(endOf(expiresAt) > new Date()) ? t('expiry.later') : null,
    }),
    fieldOf: (path) => fields.find((name) => path.split('.')[1] === name),
    submit: async ({ name, writes, scope, apps: chosen, expires, expiresAt }) => {
      const day = expires === 'on' ? expiresAt : ''
      // An unchanged day is not sent. The end of that day may be later than the token's expiry, and a later expiry
      // requires the right to read the token's apps.
      const isSameDay = token !== undefined && day === dayOf(token.expiresAt)
      const data = {
        name,
        writes,
        apps: scope === 'some' ? chosen : null,
        ...(isSameDay ? {} : { expiresAt: day ? endOf(day).toISOString() : null }),
      }
      if (token) {
        await tokenCalls(kind).update(p, token._id, data)
        toast.success(common('saved'))
      } else onIssued(await tokenCalls(kind).create(p, data))
      await queryClient.invalidateQueries({ queryKey: tokensQuery(p, kind).queryKey })
      close()
    },
  })
  const mayAll = mayAllWith(values.writes)
  // Members who may not write may know the value of a token that only reads.
  const cannotWrite =
    !token && !mayUpload ? t('writes.needsUpload') : token && !token.writes ? t('writes.onlyNew') : null
  const writesHint = cannotWrite ?? (values.writes && t('writes.hint'))
  const choosable = apps.filter(({ uid, joined }) => mayAll || joined || token?.apps?.includes(uid))
  return (
    <form {...formProps}>
      <FormStack>
        <FormProblem text={problem} />
        <TextInput
          {...field('name')}
          label={t('name')}
          placeholder={t('namePlaceholder')}
          maxLength={100}
          required
          data-autofocus
        />
        {kind === 'api' && (
          <Radio.Group
            label={t('writes.title')}
            name="writes"
            description={writesHint}
            value={values.writes ? 'write' : 'read'}
            onChange={(chosen) => {
              set('writes', chosen === 'write')
              if (!mayAllWith(chosen === 'write')) set('scope', 'some')
            }}
            error={errorOf('writes')}
          >
            <Group mt={4}>
              <Radio value="read" label={t('writes.read')} />
              <Radio value="write" label={t('writes.write')} disabled={cannotWrite !== null} />
            </Group>
          </Radio.Group>
        )}
        <Radio.Group
          name="apps"
          label={t('scope.title')}
          {...(mayAll ? {} : { description: t(values.writes ? 'scope.ownWritesOnly' : 'scope.ownOnly') })}
          value={values.scope}
          onChange={(scope) => set('scope', scope)}
          error={values.scope === 'all' && errorOf('apps')}
        >
          <Group mt={4}>
            <Radio value="all" label={t('scope.all')} disabled={!mayAll} />
            <Radio value="some" label={t('scope.chosen')} />
          </Group>
        </Radio.Group>
        {values.scope === 'some' && (
          <Checkbox.Group
            aria-label={t('scope.title')}
            value={values.apps}
            onChange={(chosen) => set('apps', chosen)}
            error={errorOf('apps')}
          >
            <Stack gap="xs">
              {choosable.map((app) => (
                <Checkbox key={app.uid} value={app.uid} label={app.name} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        <Radio.Group
          label={t('expiry.title')}
          value={values.expires}
          onChange={(expires) => set('expires', expires)}
        >
          <Group mt={4}>
            <Radio value="never" label={t('expiry.never')} />
            <Radio value="on" label={t('expiry.on')} />
          </Group>
        </Radio.Group>
        {values.expires === 'on' && (
          <TextInput
            {...field('expiresAt')}
            type="date"
            label={t('expiry.day')}
            description={t('expiry.dayHint')}
            min={dayOf(new Date().toISOString())}
            required
          />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={saving}>
            {token ? common('save') : t('createAction')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}
