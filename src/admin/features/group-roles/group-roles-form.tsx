import { ActionIcon, Button, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { rolesQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { EndpointForm, SaveBar } from '#admin/ui/endpoint-form.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { GroupRoles } from '#shared/contract/group-roles.ts'
import { invitedRole } from '#shared/permissions.ts'
import { AppLines, appLineOf, isWrongAppLine } from './app-lines.tsx'
import classes from './group-roles.module.css'
import { groupRolesQuery } from './group-roles.queries.ts'

type Line = GroupRoles['groups'][number] & { key: number }
let nextKey = 0
const lineOf = (group: GroupRoles['groups'][number]): Line => ({ ...group, key: nextKey++ })

/** Returns whether the rule has no group name, or the name of an earlier rule. */
const isWrong = (lines: Line[], index: number) => {
  const name = lines[index]?.name.trim().normalize()
  return !name || lines.findIndex((line) => line.name.trim().normalize() === name) < index
}

/** Edits the rules that assign roles to groups, and the default role. The first matching rule applies. */
export function GroupRolesForm({ p, groupRoles }: { p: string; groupRoles: GroupRoles }) {
  const t = useTranslations('groupRoles')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const roles = useRoleNames(useQuery(rolesQuery(p)).data)
  const form = useEndpointForm('PUT /api/project/{p}/groupRoles', {
    values: {
      groups: groupRoles.groups.map(lineOf),
      appGroups: groupRoles.appGroups.map(appLineOf),
      defaultRoleId: groupRoles.defaultRoleId,
    },
    params: { p },
    toBody: ({ groups, appGroups, defaultRoleId }) => ({
      data: {
        groups: groups.map(({ name, roleId }) => ({ name: name.trim(), roleId })),
        appGroups: appGroups.map(({ app, name, roleId }) => ({ app, name: name.trim(), roleId })),
        defaultRoleId,
        version: groupRoles.version,
      },
    }),
    paths: { groups: 'data.groups', appGroups: 'data.appGroups', defaultRoleId: null },
    texts: {
      InvalidRoleChange: t('notYours'),
      Forbidden: t('apps.notYours'),
      VersionConflict: t('changedMeanwhile'),
    },
    check: ({ groups, appGroups }) => ({
      groups: groups.some((_, index) => isWrong(groups, index)) ? t('names') : null,
      appGroups: appGroups.some((_, index) => isWrongAppLine(appGroups, index)) ? t('apps.names') : null,
    }),
    saved: (answer) => {
      queryClient.setQueryData(groupRolesQuery(p).queryKey, answer)
      toast.success(common('saved'))
    },
  })
  const { values, set, errorOf } = form
  const { groups } = values
  const wrong = errorOf('groups')
  const change = (index: number, data: Partial<Line>) =>
    set(
      'groups',
      groups.map((line, at) => (at === index ? { ...line, ...data } : line)),
    )
  const move = (from: number, to: number) => {
    const moved = [...groups]
    moved.splice(to, 0, ...moved.splice(from, 1))
    set('groups', moved)
  }

  return (
    <EndpointForm form={form} guarded ofSections>
      <Section title={t('lines.title')} description={t('lines.text')}>
        <Stack gap="sm" align="flex-start">
          {groups.length === 0 && (
            <Text size="sm" c="dimmed">
              {t('lines.none')}
            </Text>
          )}
          {groups.length > 0 && (
            <ol className={classes.lines}>
              {groups.map((line, index) => (
                <li key={line.key} className={classes.line}>
                  <TextInput
                    className={classes.name ?? ''}
                    aria-label={t('lines.name', { number: index + 1 })}
                    placeholder={t('lines.placeholder')}
                    value={line.name}
                    onChange={(event) => change(index, { name: event.currentTarget.value })}
                    error={Boolean(wrong) && isWrong(groups, index)}
                    maxLength={256}
                    autoComplete="off"
                  />
                  <Select
                    className={classes.role ?? ''}
                    aria-label={t('lines.role', { number: index + 1 })}
                    data={roles.options(line.roleId)}
                    value={line.roleId}
                    onChange={(roleId) => roleId && change(index, { roleId })}
                    allowDeselect={false}
                  />
                  <div className={classes.actions}>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('lines.up', { name: line.name })}
                      disabled={index === 0}
                      onClick={() => move(index, index - 1)}
                    >
                      <IconArrowUp size={16} />
                    </ActionIcon>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('lines.down', { name: line.name })}
                      disabled={index === groups.length - 1}
                      onClick={() => move(index, index + 1)}
                    >
                      <IconArrowDown size={16} />
                    </ActionIcon>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('lines.remove', { name: line.name })}
                      onClick={() => set('groups', groups.toSpliced(index, 1))}
                    >
                      <IconTrash size={16} />
                    </ActionIcon>
                  </div>
                </li>
              ))}
            </ol>
          )}
          {wrong && (
            <Text size="sm" c="red" role="alert">
              {wrong}
            </Text>
          )}
          <Button
            variant="default"
            leftSection={<IconPlus size={16} />}
            disabled={groups.length >= 200}
            onClick={() => set('groups', [...groups, lineOf({ name: '', roleId: invitedRole })])}
          >
            {t('lines.add')}
          </Button>
        </Stack>
      </Section>
      <Section title={t('others.title')} description={t('others.text')}>
        <Select
          label={t('others.role')}
          data={roles.options(values.defaultRoleId)}
          value={values.defaultRoleId}
          onChange={(roleId) => roleId && set('defaultRoleId', roleId)}
          allowDeselect={false}
        />
      </Section>
      <AppLines
        p={p}
        lines={values.appGroups}
        set={(lines) => set('appGroups', lines)}
        wrong={errorOf('appGroups')}
      />
      <SaveBar form={form} mb="xl" />
    </EndpointForm>
  )
}
