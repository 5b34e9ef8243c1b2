import { Alert, Badge, Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { IconChecks } from '@tabler/icons-react'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { appRoute } from '#admin/features/shell/shell.routes.tsx'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { EmptyState } from '#admin/ui/states.tsx'
import type { TemplateUpdate, TemplateUpdateItem } from '#shared/contract/templates.ts'
import type { FieldTypeName } from '#shared/fields/index.ts'
import classes from './save-template.module.css'
import { forgetApp, templateUpdateQuery } from './templates.queries.ts'
import { UpdateCost } from './update-cost.tsx'

/** `/{p}/{a}/-/template`: the changes that the newest version of the app's template would make. */
export function TemplateUpdatePage() {
  const t = useTranslations('templates.update')
  const { p, a } = appRoute.useParams()
  const { data } = useSuspenseQuery(templateUpdateQuery(p, a))
  const back = (
    <Button variant="default" component={Link} {...{ to: `/${p}/${a}/-/settings` }}>
      {t('back')}
    </Button>
  )
  const { template, items } = data
  return (
    <Page title={t('title')} description={template && items ? t('text') : undefined} width="narrow">
      {template && items ? (
        <Choices p={p} a={a} version={template.newest} items={items} />
      ) : (
        <EmptyState
          icon={<IconChecks size={36} stroke={1.4} aria-hidden="true" />}
          title={t('none')}
          text={t('noneText')}
          action={back}
        />
      )}
    </Page>
  )
}

interface ChoicesProps {
  p: string
  a: string
  version: number | null
  items: NonNullable<TemplateUpdate['items']>
}

function Choices({ p, a, version, items }: ChoicesProps) {
  const t = useTranslations('templates.update')
  const [chosen, setChosen] = useState(
    () => new Set(items.filter(({ choice }) => choice === 'take').map(({ key }) => key)),
  )
  const [documents, setDocuments] = useState(false)
  const take = items.flatMap(({ key }) => (chosen.has(key) ? [key] : []))
  const { problem, busy, ask } = useUpdate(p, a, { version, take, documents })
  const choose = (key: string, isChosen: boolean) =>
    setChosen((before) => {
      const after = new Set(before)
      if (isChosen) after.add(key)
      else after.delete(key)
      return after
    })
  const samples = items.reduce((sum, item) => sum + (chosen.has(item.key) ? item.documents : 0), 0)
  return (
    <>
      {groupsOf(items).map(([heading, group]) => (
        <ItemGroup key={heading} items={group} chosen={chosen} choose={choose} />
      ))}
      <Stack gap="md" mt="lg">
        {samples > 0 && (
          <Checkbox
            label={t('samples', { count: samples })}
            checked={documents}
            onChange={(event) => setDocuments(event.currentTarget.checked)}
          />
        )}
        {problem && (
          <Alert color="red" role="alert">
            {problem}
          </Alert>
        )}
        <Group>
          <Button loading={busy} onClick={() => void ask()}>
            {take.length > 0 ? t('apply') : t('applyNone')}
          </Button>
        </Group>
      </Stack>
    </>
  )
}

type Asked = { version: number | null; take: string[]; documents: boolean }

/**
 * Returns a function `ask`, which applies an update. It first asks for confirmation if documents would lose values.
 * Also returns the state of the request.
 */
function useUpdate(p: string, a: string, body: Asked) {
  const t = useTranslations('templates.update')
  const losses = useTranslations('models.losses')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const post = (more: { dryRun?: boolean; acceptLoss?: boolean }) =>
    api('POST /api/project/{p}/app/{a}/templateUpdate', { params: { p, a }, body: { ...body, ...more } })
  async function attempt(work: () => Promise<void>) {
    setBusy(true)
    setProblem(null)
    try {
      await work()
    } catch (error) {
      const [issue] = error instanceof ApiError ? (error.issues ?? []) : []
      setProblem(issue ? t('refused', { path: issue.path }) : errorText(error))
    }
    setBusy(false)
  }
  const apply = async (acceptLoss: boolean) => {
    await post({ acceptLoss })
    await forgetApp(queryClient, p, a)
    toast.success(body.take.length > 0 ? t('applied') : t('appliedNone'))
    await navigate({ to: '/$p/$a/-/settings', params: { p, a } })
  }
  const ask = () =>
    attempt(async () => {
      const cost = await post({ dryRun: true })
      if (cost.losses.length === 0) await apply(false)
      else
        confirm({
          title: losses('title'),
          message: <UpdateCost p={p} a={a} cost={cost} text={losses('text')} />,
          action: t('apply'),
          danger: true,
          run: () => apply(true),
        })
    })
  return { problem, busy, ask }
}

function groupsOf(items: TemplateUpdateItem[]): [string, TemplateUpdateItem[]][] {
  const groups = new Map<string, TemplateUpdateItem[]>()
  for (const item of items) {
    const kind = item.kind === 'customType' || item.kind === 'customTypeField' ? 'customType' : 'model'
    const key = `${kind} ${item.owner?.uid ?? item.uid}`
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return [...groups]
}

interface ItemGroupProps {
  items: TemplateUpdateItem[]
  chosen: ReadonlySet<string>
  choose: (key: string, isChosen: boolean) => void
}

function ItemGroup({ items, chosen, choose }: ItemGroupProps) {
  const t = useTranslations('templates.update')
  const [first] = items
  if (!first) return null
  const { name } = first.owner ?? first
  const isType = first.kind === 'customType' || first.kind === 'customTypeField'
  return (
    <Section title={isType ? t('customType', { name }) : t('model', { name })}>
      <ul className={classes.versions}>
        {items.map((item) => (
          <li key={item.key} className={classes.version}>
            <Item item={item} isChosen={chosen.has(item.key)} choose={choose} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

interface ItemProps extends Pick<ItemGroupProps, 'choose'> {
  item: TemplateUpdateItem
  isChosen: boolean
}

function Item({ item, isChosen, choose }: ItemProps) {
  const t = useTranslations('templates.update')
  const about = useAbout(item)
  const { key, kind, name, change, here, choice } = item
  const words = (
    <Group gap="xs" component="span">
      <span>{name}</span>
      <Text span size="sm" c="dimmed">
        {t(`kinds.${kind}`)}
      </Text>
      <Badge component="span" variant="light" tt="none" color="gray">
        {t(`change.${change}`)}
      </Badge>
      {here === 'changed' && (
        <Badge component="span" variant="outline" tt="none" color="gray">
          {t('changedHere')}
        </Badge>
      )}
    </Group>
  )
  if (choice === 'told')
    return (
      <div className={classes.words}>
        {words}
        <Text size="sm" c="dimmed">
          {about}
        </Text>
      </div>
    )
  return (
    <Checkbox
      className={classes.words}
      label={words}
      description={about}
      checked={isChosen}
      onChange={(event) => choose(key, event.currentTarget.checked)}
    />
  )
}

/** Returns a sentence about the effect of the item. undefined: an added field or view, which needs no explanation. */
function useAbout({ kind, change, choice, types }: TemplateUpdateItem): string | undefined {
  const t = useTranslations('templates.update')
  const types_ = useTranslations('models.types')
  const nameOf = (type: string) => types_(`${type as FieldTypeName}.name`)
  if (kind === 'model' || kind === 'customType')
    return choice === 'told' && change === 'added' ? t('whole.same') : t(`whole.${change}`)
  if (change === 'gone') return t('removes')
  if (change === 'added') return undefined
  if (types && types.from !== types.to) return t('types', { from: nameOf(types.from), to: nameOf(types.to) })
  return t('settings')
}
