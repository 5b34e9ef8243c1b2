import { Text, UnstyledButton } from '@mantine/core'
import { IconAlertTriangle, IconChevronRight } from '@tabler/icons-react'
import { memo, useCallback, useMemo } from 'react'
import { useTranslations } from 'use-intl'
import type { Issue } from '#shared/errors.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import type { LookOf } from '../field-props.ts'
import { fieldIssueText } from '../issue-text.ts'
import { ItemFields } from './item-fields.tsx'
import { ItemMenu } from './item-menu.tsx'
import { frameOf, type Item, kindsOf, leaves, placesOf } from './items.ts'
import classes from './nested.module.css'
import type { NestedContext } from './nested-context.ts'
import type { Change } from './use-change.ts'
import type { ItemActions } from './use-item-actions.ts'

interface RowProps {
  field: Field
  item: Item
  id: string
  issues: readonly Issue[]
  name: string
  context: NestedContext
}

interface ItemHeadProps extends RowProps {
  index: number
  isFirst: boolean
  isLast: boolean
  isOpen: boolean
  full: boolean
  several: boolean
  toggle: (key: string) => void
  actions: ItemActions
}

/** The header line of an item: its kind, a summary with a picture, and its actions. */
export const ItemHead = memo(function ItemHead(props: ItemHeadProps) {
  const t = useTranslations('fields.nested')
  const { field, item, id, issues, name, context, index, isOpen, toggle, actions } = props
  const kind = kindsOf(field) ? placesOf(field, item)?.[0]?.field : undefined
  const KindIcon = kind && context.lookOf(kind).icon
  return (
    <>
      <UnstyledButton
        id={id}
        className={classes.toggle}
        aria-expanded={isOpen}
        data-broken={issues.length > 0 || undefined}
        onClick={() => toggle(String(item._id))}
      >
        <IconChevronRight size={16} className={classes.chevron} aria-hidden="true" />
        {KindIcon && <KindIcon size={16} aria-hidden="true" />}
        <span className={classes.name}>{name}</span>
        {issues.length > 0 && (
          <span className={classes.broken}>
            <IconAlertTriangle size={14} aria-hidden="true" />
            {t('problems', { count: issues.length })}
          </span>
        )}
        {!isOpen && <Summary field={field} item={item} context={context} />}
      </UnstyledButton>
      {!context.readOnly && (
        <ItemMenu
          name={name}
          index={index}
          isFirst={props.isFirst}
          isLast={props.isLast}
          full={props.full}
          several={props.several}
          actions={actions}
        />
      )}
    </>
  )
})

function Summary({ field, item, context }: Pick<RowProps, 'field' | 'item' | 'context'>) {
  const { picture, words } = useMemo(() => summaryOf(field, item), [field, item])
  return (
    <span className={classes.summary}>
      {[picture, words].map((part) => part && <Preview key={part.field._id} {...part} {...context} />)}
    </span>
  )
}

function Preview({
  field,
  value,
  lookOf,
  place,
}: { field: Field; value: unknown; lookOf: LookOf } & Pick<NestedContext, 'place'>) {
  const Shown = lookOf(field).preview
  return (
    <Text component="span" size="sm" c="dimmed" className={classes.part}>
      <Shown field={field} value={value} place={place} />
    </Text>
  )
}

/** Returns the first asset of an item, and the value for its text: the first text, otherwise the first other value. */
function summaryOf(field: Field, item: Item) {
  const filled = [...leaves(field, item)]
  const picture = filled.find(({ field: at }) => typeOf(at).asset)
  const others = filled.filter((part) => part !== picture)
  return { picture, words: others.find(({ field: at }) => typeOf(at).searchable) ?? others[0] }
}

export const ItemBody = memo(function ItemBody({
  field,
  item,
  id,
  issues,
  context,
  change: changeList,
}: RowProps & { change: Change<readonly Item[]> }) {
  const t = useTranslations('fields.nested')
  const key = item._id
  const change = useCallback<Change<Item>>(
    (by) => changeList((items) => items.map((one) => (one._id === key ? by(one) : one))),
    [changeList, key],
  )
  // The set of fields depends on the item's frame (its kind), not on its values.
  const kind = JSON.stringify(frameOf(field, item))
  // biome-ignore lint/correctness/useExhaustiveDependencies: see the comment above.
  const places = useMemo(() => placesOf(field, item), [field, kind])
  const names = new Set(places?.map(({ name }) => name))
  return (
    <div className={classes.body}>
      {issues
        .filter(({ path }) => !names.has(path.split('.')[0] ?? ''))
        .map((issue) => (
          <Text key={`${issue.path} ${issue.code}`} size="xs" c="var(--mantine-color-error)">
            {issue.path && `${issue.path}: `}
            {fieldIssueText(field, issue)}
          </Text>
        ))}
      {places ? (
        <ItemFields
          field={field}
          item={item}
          places={places}
          change={change}
          issues={issues}
          id={id}
          context={context}
        />
      ) : (
        <Text size="sm">{t('unknownKind', { name: Object.values(frameOf(field, item)).join(' ') })}</Text>
      )}
    </div>
  )
})
