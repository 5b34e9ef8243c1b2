import { ActionIcon, Badge, Button, Code, Menu, Text } from '@mantine/core'
import {
  IconAlertTriangle,
  IconDots,
  IconPencil,
  IconPlus,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { appsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { openTokenDialog } from './token-dialog.tsx'
import classes from './tokens.module.css'
import { type AnyToken, type IssuedToken, type TokenKind, tokenCalls, tokensQuery } from './tokens.queries.ts'

interface TokenSectionProps {
  p: string
  kind: TokenKind
  /** Called with a new token, whose value is only returned now. */
  onIssued: (token: IssuedToken) => void
}

/** The tokens of one kind. */
export function TokenSection({ p, kind, onIssued }: TokenSectionProps) {
  const t = useTranslations('tokens')
  const { data: tokens, error, refetch } = useQuery(tokensQuery(p, kind))
  return (
    <Section
      title={t(`kinds.${kind}`)}
      description={t(`kindTexts.${kind}`)}
      actions={
        <Button
          leftSection={<IconPlus size={16} />}
          variant="light"
          aria-label={t(`create.${kind}`)}
          onClick={() => openTokenDialog({ p, kind, title: t(`create.${kind}`), onIssued })}
        >
          {t('new')}
        </Button>
      }
    >
      {!tokens && error && <ErrorState error={error} retry={() => void refetch()} />}
      {!tokens && !error && <SkeletonList rows={2} />}
      {tokens?.length === 0 && (
        <Text c="dimmed" size="sm">
          {t('empty')}
        </Text>
      )}
      {tokens && tokens.length > 0 && (
        <ul className={classes.list} aria-label={t(`kinds.${kind}`)}>
          {tokens.map((token) => (
            <TokenRow key={token._id} p={p} kind={kind} token={token} onIssued={onIssued} />
          ))}
        </ul>
      )}
    </Section>
  )
}

function Expiry({ at, date }: { at: string; date: (text: string) => string }) {
  const t = useTranslations('tokens.expiry')
  const isOver = new Date(at) <= new Date()
  return (
    <span data-over={isOver || undefined}>
      {isOver ? t('over', { date: date(at) }) : t('until', { date: date(at) })}
    </span>
  )
}

function TokenRow({ p, kind, token, onIssued }: TokenSectionProps & { token: AnyToken }) {
  const t = useTranslations('tokens')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const apps = useQuery(appsQuery(p)).data ?? []
  const calls = tokenCalls(kind)
  const refresh = () => queryClient.invalidateQueries({ queryKey: tokensQuery(p, kind).queryKey })
  const date = (text: string) => format.dateTime(new Date(text), { dateStyle: 'medium', timeStyle: 'short' })
  const scope = token.apps
    ? t('scope.some', {
        apps: format.list(token.apps.map((uid) => apps.find((app) => app.uid === uid)?.name ?? uid)),
      })
    : t('scope.all')

  return (
    <li className={classes.row}>
      <div className={classes.about}>
        <div className={classes.name}>
          <Text fw={600}>{token.name}</Text>
          {token.writes && (
            <Badge variant="light" tt="none">
              {t('writes.badge')}
            </Badge>
          )}
        </div>
        <div className={classes.meta}>
          <Code>…{token.last4}</Code>
          <span>{scope}</span>
          {token.expiresAt && <Expiry at={token.expiresAt} date={date} />}
          <span>{t('createdAt', { date: date(token.createdAt) })}</span>
          {token.createdBy?.isMember && (
            <span>{t('createdBy', { name: token.createdBy.name ?? t('makerUnknown') })}</span>
          )}
          <span>{token.lastUsedAt ? t('lastUsedAt', { date: date(token.lastUsedAt) }) : t('neverUsed')}</span>
        </div>
        {token.createdBy && !token.createdBy.isMember && (
          <Text className={classes.left} size="sm">
            <IconAlertTriangle size={16} aria-hidden />
            {t('makerLeft', { name: token.createdBy.name ?? t('makerUnknown') })}
          </Text>
        )}
      </div>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t('actionsOf', { name: token.name })}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconPencil size={16} />}
            onClick={() => openTokenDialog({ p, kind, token, title: t('edit'), onIssued })}
          >
            {t('edit')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconRefresh size={16} />}
            onClick={() =>
              confirm({
                title: t('refresh.title'),
                message: t('refresh.confirm', { name: token.name }),
                action: t('refresh.action'),
                danger: true,
                run: async () => {
                  onIssued(await calls.refresh(p, token._id))
                  await refresh()
                },
              })
            }
          >
            {t('refresh.title')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} />}
            onClick={() =>
              confirm({
                title: t('delete.title'),
                message: t('delete.confirm', { name: token.name }),
                action: t('delete.action'),
                danger: true,
                run: async () => {
                  await calls.remove(p, token._id)
                  await refresh()
                  toast.success(t('delete.done', { name: token.name }))
                },
              })
            }
          >
            {t('delete.title')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </li>
  )
}
